import Testing

@testable import IngestDaemon

@Suite struct `What is kept of a payload` {
    @Test(arguments: [
        ("", ""), ("t0k", "…"), ("a t0k b", "a … b"), ("t0kt0k", "……"), ("t0t0kt0", "t0…t0"),
        ("nothing", "nothing"), ("t0", "t0"), ("et0k", "e…"),
    ])
    func `has its token nowhere`(payload: String, kept: String) {
        #expect(Array(payload.utf8).without("t0k") == Array(kept.utf8))
    }

    @Test func `has it neither as an address writes it`() {
        let payload = Array("id=a%2Fb&x=a/b&y=a%2F".utf8)
        #expect(payload.without("a/b") == Array("id=…&x=…&y=a%2F".utf8))
    }
}
