import Directory
import Hashing
import Model
import NotifierCore

/// Aisha has a PIN and a duress PIN. Her emergency was opened, and she ended it with one of them.
enum DuressWorld {
    static let base = "https://jaga.example"
    static let duress = EmergencyID(ID128(high: 9, low: 99))
    static let own = Set(Town.aisha.contacts.map(\.address))
    static let pin = "4711"
    static let duressPIN = "0815"

    /// The PINs of Aisha.
    static let pins: EventBody = {
        let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)
        let hashes = [pin, duressPIN].map {
            Hex.encode(PINHash.of($0, person: Town.aisha.id, salt: salt))
        }
        return .pinChanged(
            PersonPIN(person: Town.aisha.id, salt: Hex.encode(salt), hashes: hashes))
    }()

    static func signal(_ number: UInt64 = 99, of first: UInt64 = 1) -> EmergencySignal {
        var signal = Town.signal(number, countdown: .zero)
        signal.underDuress = Town.emergency(first)
        return signal
    }

    /// What ingest publishes when Aisha enters a PIN to end an open emergency.
    static func end(
        _ first: UInt64 = 1, underDuress: Bool, _ world: inout World,
        signal: EmergencySignal? = nil
    ) {
        if underDuress {
            var signal = signal ?? DuressWorld.signal(of: first)
            (signal.raised, signal.received) = (world.now, world.now)
            signal.countdownEnds = world.now
            world.receive(.sosRaised(signal))
        }
        world.receive(
            .sosCancelled(
                EmergencyCancel(
                    id: EventID(ID128(high: 66, low: first)), person: Town.aisha.id,
                    emergency: Town.emergency(first), received: world.now, endsOpen: true)))
    }

    /// Opened, and ended by Aisha after 150 s: Budi and Citra were notified.
    ///
    /// - Returns: the world after the end, and what was sent before it
    static func world(
        underDuress: Bool = true, _ changes: [EventBody] = [],
        first: EmergencyChange = Town.change()
    ) -> (world: World, before: [OutgoingMessage]) {
        var world = World(hasReplies: true, publicURL: base)
        world.change(pins)
        for change in changes { world.change(change) }
        world.receive(.emergencyOpened(first))
        world.pass(.seconds(150))
        let before = world.sent
        world.clear()
        end(underDuress: underDuress, &world)
        world.pass(.seconds(10))
        return (world, before)
    }

    /// The token of the link in a message to an address.
    static func token(_ messages: [OutgoingMessage], at address: String) -> LinkToken? {
        for message in messages where message.address == address {
            guard let start = message.text.firstRange(of: base + "/e/") else { continue }
            return LinkToken(String(message.text[start.upperBound...].prefix(22)))
        }
        return nil
    }
}

extension World {
    func page(_ token: LinkToken?) -> ResponderPage? {
        token.flatMap { notifier.page(of: $0.hash, directory, at: now) }
    }

    mutating func write(_ text: String, from sender: String) {
        let id = Hash.id(.text(text), .text(sender), .number(now.microseconds))
        handle(.reply(Reply(id: id, sender: sender, text: text, trace: "t")))
    }

    var covert: Emergency? { emergency(DuressWorld.duress) }
}
