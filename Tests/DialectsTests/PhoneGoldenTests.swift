import Parsing
import Testing

@testable import Dialects

@Suite struct `A phone app's message` {
    private static let clients = ["overland", "osmand", "gpslogger", "opengts", "jaga"]
    static let all = clients.flatMap { Golden.all(of: $0) }

    @Test(arguments: zip(clients, [25, 40, 14, 12, 5]))
    func `has a golden file for each peculiarity`(client: String, count: Int) {
        #expect(Golden.all(of: client).count >= count)
    }

    @Test(arguments: all)
    func `is read as in the golden file`(golden: Golden) throws {
        let reading: Reading
        var answer = "200"
        switch golden.description.prefix(while: { $0 != "/" }) {
        case "overland":
            reading = Overland.read(golden.body, received: Golden.received)
            answer += "\n" + String(decoding: Overland.answer(), as: UTF8.self)
        case "osmand":
            reading = OsmAnd.read(golden.query, golden.body, received: Golden.received)
        case "gpslogger":
            reading = GPSLogger.read(
                golden.query, golden.body, received: Golden.received, sosWord: Golden.sosWord)
        case "opengts":
            reading = OpenGTS.read(golden.query, golden.body, received: Golden.received)
        default:
            reading = JagaReports.read(golden.body, received: Golden.received)
            // The answer lists the result of each report, which only ingest knows.
            answer = "202"
        }
        #expect(golden.why.count > 20, "the file explains its purpose")
        #expect(Golden.text(of: reading) == golden.reading)
        #expect(answer == golden.answer)
    }
}
