import Hosting
import Model
import NotifierCore
import Parsing
import Store
import Web

/// The gateways for SMS and mail, the operator's alarm, and the phones that receive messages.
final class Carrier {
    static let alarmURL = "http://operator.test/alarm"

    /// A message that a gateway accepted.
    struct Message {
        /// The notification's id as text, or its receipt token.
        let name: String
        let address: String
        let text: String
        let step: Int
        let at: Int64
    }

    private unowned let world: World
    private var chance: SeededRandom
    private(set) var messages: [Message] = []
    private(set) var alarms = 0
    var downUntil: Int64 = 0
    /// Called for each message that is delivered.
    var delivered: (Message) -> Void = { _ in }

    init(_ world: World, _ chance: SeededRandom) {
        self.world = world
        self.chance = chance
    }

    private enum Fate { case accepted, unanswered, rejected, later, unreachable }

    /// Accepts a transfer and ends it after a while.
    func accept(_ transfer: Transfer, ended: @escaping (TransferOutcome) -> Void) {
        let fate = fate()
        let isMail: Bool
        var message: Message?
        switch transfer.call {
        case .http(let call):
            isMail = false
            if call.url == Carrier.alarmURL {
                if fate == .accepted { alarms += 1 }
            } else {
                message = sms(call)
            }
        case .mail(let call):
            isMail = true
            message = mail(call)
        }
        world.trace.record(UInt64(transfer.token))
        world.trace.append(
            "    carrier: \(message.map { "\($0.address) \($0.name)" } ?? "alarm") \(fate)")
        if let message, fate == .accepted || fate == .unanswered { accept(message, isMail) }
        let wait =
            fate == .unanswered ? Int64(transfer.timeoutMilliseconds) : Int64(chance.in(5...400))
        world.after(wait) { ended(Carrier.outcome(of: fate, isMail)) }
    }

    private func fate() -> Fate {
        if world.isQuiet { return .accepted }
        if world.now < downUntil { return .unreachable }
        let faults = world.faults
        if chance.happens(faults.gatewayUnresponsive) { return .unanswered }
        if chance.happens(faults.gatewayRejects) { return .rejected }
        if chance.happens(faults.gatewayDefers) { return .later }
        if chance.happens(faults.gatewayUnreachable) { return .unreachable }
        return .accepted
    }

    private static func outcome(of fate: Fate, _ isMail: Bool) -> TransferOutcome {
        func response(_ code: Int, _ text: String) -> TransferOutcome {
            guard isMail else {
                return .answered(TransferAnswer(status: code, body: Array(text.utf8)))
            }
            return .failed(
                TransferFailure(
                    fate: .rejected,
                    reply: .init(code: code, text: text, stage: .recipient), message: text))
        }
        switch fate {
        case .accepted:
            return .answered(
                TransferAnswer(status: isMail ? 250 : 202, body: Array("accepted".utf8)))
        case .unanswered: return .failed(TransferFailure(fate: .unknown, message: "no answer"))
        case .rejected: return response(isMail ? 550 : 400, "no such recipient")
        case .later: return response(isMail ? 451 : 503, "try again")
        case .unreachable:
            return .failed(TransferFailure(fate: .notSent, message: "connection refused"))
        }
    }

    private func sms(_ call: HTTPCall) -> Message {
        let callback = call.headers["X-Kannel-DLR-URL"] ?? ""
        let path = callback.prefix { $0 != "?" }
        return Message(
            name: String(path.split(separator: "/").last ?? ""),
            address: call.headers["X-Kannel-To"] ?? "",
            text: String(decoding: call.body, as: UTF8.self), step: world.step, at: world.now)
    }

    private func mail(_ call: MailCall) -> Message {
        let text = String(decoding: call.message, as: UTF8.self)
        let line = text.split(separator: "\r\n").first { $0.hasPrefix("Message-ID: <") }
        let name = line?.dropFirst("Message-ID: <".count).prefix { $0 != "@" }
        return Message(
            name: String(name ?? ""), address: call.recipient, text: text, step: world.step,
            at: world.now)
    }

    private func accept(_ message: Message, _ isMail: Bool) {
        messages.append(message)
        world.after(Int64(chance.in(100...3000))) { [self] in
            delivered(message)
            if !isMail, world.isQuiet || !chance.happens(world.faults.receiptsLost) {
                sendReceipt(of: message)
            }
        }
    }

    private func sendReceipt(of message: Message) {
        let query = Query([.init("type", "1"), .init("to", message.address)])
        world.clientRequests.begin(
            ClientRequest(
                .post, "/v1/receipts/\(message.name)", of: .notifier, query: query, as: "none"))
    }
}
