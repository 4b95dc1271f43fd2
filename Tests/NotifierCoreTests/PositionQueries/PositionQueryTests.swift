import Directory
import Hashing
import Model
import Testing

@testable import NotifierCore

/// Questions by SMS for positions, and the other words of an SMS.
struct PositionQueryTests {
    private var world = World(hasReplies: true)
    private let number = "+60111000002"

    private func text(_ text: String, _ number: UInt64, from sender: String? = nil) -> Input {
        .reply(
            Reply(
                id: ID128(high: 55, low: number), sender: sender ?? self.number, text: text,
                trace: "t"))
    }

    private func requests(_ world: World) -> [PositionsRequest] {
        world.published.compactMap {
            if case .positionsRequested(let request) = $0 { request } else { nil }
        }
    }

    private func answer(
        _ request: PositionsRequest, _ positions: [AnsweredPosition], more: Int = 0
    ) -> EventBody {
        .positionsAnswered(
            PositionsAnswer(
                person: request.person, query: request.query, positions: positions, more: more))
    }

    @Test func `WHERE asks ingest for the sender, and the answer goes to that number`() throws {
        var world = world
        world.handle(text("Where?", 1))
        let request = try #require(requests(world).first)
        #expect(request.person == Town.budi.id)
        #expect(world.sent.isEmpty, "nothing is sent before ingest has answered")
        world.receive(
            answer(
                request,
                [
                    AnsweredPosition(
                        person: Town.aisha.id, fix: Town.fix(at: world.now), taken: world.now),
                    AnsweredPosition(person: Town.citra.id, zone: "School", taken: world.now),
                    AnsweredPosition(person: Town.dewi.id, isPaused: true),
                ], more: 2))
        #expect(world.addresses == [number])
        let sms = try #require(world.sent.first).text
        #expect(
            sms == "Jaga: Aisha: 3.13900, 101.68690, within 12 m, 02:20 UTC. "
                + "Citra: At School, 02:20 UTC. Dewi: sharing paused. 2 more in Jaga.")
        world.receive(answer(request, []))
        #expect(world.sent.count == 1, "answered once")
    }

    @Test func `works in Malay and Indonesian`() {
        for word in ["WHERE", "mana", "DIMANA?"] { #expect(ReplyWord(word) == .positions) }
        #expect(ReplyWord("Where are you going tonight") == .other)
    }

    @Test func `an unverified number, and a number of two people, get no positions`() {
        var world = world
        var budi = Town.budi
        budi.contacts[0].verified = nil
        world.change(.personChanged(budi))
        world.handle(text("WHERE", 1))
        #expect(requests(world).isEmpty && world.sent.isEmpty)
        world.change(.personChanged(Town.budi))
        var citra = Town.citra
        citra.contacts[0].address = number
        world.change(.personChanged(citra))
        world.handle(text("WHERE", 2))
        #expect(requests(world).isEmpty)
        #expect(world.sent.last?.text.contains("Several people") == true)
    }

    @Test func `somebody who lost the number before the answer gets none`() throws {
        var world = world
        world.handle(text("WHERE", 1))
        let request = try #require(requests(world).first)
        var budi = Town.budi
        budi.contacts.removeFirst()
        world.change(.personChanged(budi))
        world.receive(
            answer(
                request, [AnsweredPosition(person: Town.aisha.id, zone: "School", taken: world.now)]
            ))
        #expect(world.sent.isEmpty)
    }

    @Test func `ten questions an hour, then one notice, then nothing`() {
        var world = world
        for count in 1...14 {
            world.handle(text("WHERE", UInt64(count)))
            world.pass(.seconds(60))
        }
        #expect(requests(world).count == 10)
        #expect(world.sent.filter { $0.text.contains("10 times") }.count == 1)
        world.pass(.seconds(3600))
        world.handle(text("WHERE", 99))
        #expect(requests(world).count == 11)
    }

    @Test func `survives a restart between question and answer`() throws {
        var world = world
        world.handle(text("WHERE", 1))
        let request = try #require(requests(world).first)
        world.restart()
        world.receive(answer(request, []))
        #expect(world.sent.last?.text == "Jaga: Nobody shares a position with you.")
    }

    // MARK: Other words

    @Test func `a person who sends no word gets the list once a day`() {
        var world = world
        world.handle(text("hello?", 1))
        #expect(world.sent.last?.text.contains("WHERE sends positions") == true)
        world.pass(.seconds(3600))
        world.handle(text("hello again", 2))
        #expect(world.sent.count == 1)
        world.pass(.seconds(24 * 3600))
        world.handle(text("HELP", 3))
        #expect(world.sent.count == 2)
        world.handle(text("hello", 4, from: "+60199999999"))
        #expect(world.sent.count == 2, "strangers get none")
    }

    @Test func `words that call for help`() {
        for text in ["SOS", "sos at the river", "TOLONG", "tolong saya!", "KECEMASAN", "Darurat!"] {
            if case .help = ReplyWord(text) { continue }
            Issue.record("\(text) calls for help")
        }
        // "Tolong" also means "please", and carriers answer HELP.
        for text in ["tolong telepon saya nanti", "HELP"] { #expect(ReplyWord(text) == .other) }
    }
}
