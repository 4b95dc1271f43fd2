import Parsing
import Testing

@testable import JagaCLI

@Suite struct `What a release shows` {
    @Test func `is nothing only where nothing waits out of sight`() {
        let nothing: JSON = ["items": [], "shownElsewhere": 0]
        #expect(ReleaseCommand.nothingShown(by: [nothing, nothing]) == "Nothing is held.")
        let hidden: JSON = ["items": [], "shownElsewhere": 3]
        let words = ReleaseCommand.nothingShown(by: [hidden, nothing])
        #expect(words.contains("3 waits") && words.contains("look again"))
    }
}
