import MQTT
import Runtime

@testable import IngestDaemon

/// A broker whose messages a test writes, and who keeps what was not acknowledged.
final class FakeBroker: Broker {
    var state = BrokerLink.State.online
    var failure: BrokerFailure?
    var news: [BrokerLink.Notice] = []
    /// Deliveries that are not acknowledged.
    private(set) var kept: [BrokerMessage] = []
    private var given = 0
    /// What was published, once it left.
    private(set) var received: [BrokerMessage] = []
    private var outgoing: [BrokerMessage] = []
    /// How often a connection was ended, and for how long last.
    private(set) var cuts = 0
    private(set) var pause = Duration.zero

    func send(
        _ payload: String, to topic: String, isRetained: Bool = false, isTooLarge: Bool = false
    ) {
        kept.append(
            BrokerMessage(
                topic: topic, payload: Array(payload.utf8), isRetained: isRetained,
                isTooLarge: isTooLarge))
    }

    /// What was published under a topic.
    func texts(_ topic: String) -> [String] {
        received.filter { $0.topic == topic }.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    func forgetReceived() { received = [] }

    // MARK: Broker

    func drain(limit: Int) -> [BrokerMessage] {
        defer { given = min(kept.count, given + limit) }
        return Array(kept[given...].prefix(limit))
    }

    func publish(_ payload: [UInt8], to topic: String) {
        outgoing.append(BrokerMessage(topic: topic, payload: payload))
    }

    func flush() {
        kept.removeFirst(given)
        given = 0
        received += outgoing
        outgoing = []
    }

    func disconnect(for pause: Duration) {
        given = 0
        outgoing = []
        cuts += 1
        self.pause = pause
    }

    func stop() { state = .stopped }

    func drainNotices() -> [BrokerLink.Notice] {
        defer { news = [] }
        return news
    }

    func appendPollItems(to items: inout [PollItem]) {}
    var waitMilliseconds: Int? { nil }
}
