import Testing

@testable import Dialects

@Suite struct OwnTracksGoldenTests {
    static let all = Golden.all(of: "owntracks")

    @Test func `there is a payload for each type and peculiarity`() {
        #expect(Self.all.count >= 40)
    }

    @Test(arguments: all)
    func `an app's payload is read as in the golden file`(golden: Golden) throws {
        let app = OwnTracks.App(userAgent: golden.headers["user-agent"] ?? "")
        let key = try #require(OwnTracks.Key(passphrase: Golden.passphrase))
        let reading = OwnTracks.read(
            golden.body, from: app, received: Golden.received, sosWord: Golden.sosWord, key: key)
        #expect(golden.why.count > 20, "the file explains its purpose")
        #expect(golden.method == "POST" && golden.path == "/pub")
        #expect(Golden.text(of: reading) == golden.reading)
        let body = String(decoding: app.emptyAnswer, as: UTF8.self)
        #expect("200\n" + body == golden.answer)
    }
}
