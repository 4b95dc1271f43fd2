import Directory
import Hashing
import Model

/// Personal links of recipients to the pages of emergencies.
///
/// Tokens are derived from emergency and recipient, so that every message repeats the same link and
/// only its hash is stored. Whether a link is valid depends on the emergency alone.
package struct Links: Sendable {
    /// Path of the pages, before the token.
    package static let path = "/e/"
    /// Stands for the token in stored texts. As long as a token, so that segments are counted
    /// correctly. Names and notes cannot contain it, as they have no line breaks.
    static let placeholder =
        "\n" + String(repeating: "*", count: LinkToken.charactersCount - 2) + "\n"

    private let secret: [UInt8]
    private var links: [LinkHash: PersonalLink] = [:]
    /// Hashes by emergency.
    private var ofEmergency: [EmergencyID: [PersonID: LinkHash]] = [:]

    init(_ rows: [PersonalLink], secret: [UInt8]) {
        self.secret = secret
        for link in rows { keep(link) }
    }

    private mutating func keep(_ link: PersonalLink) {
        links[link.hash] = link
        ofEmergency[link.emergency, default: [:]][link.recipient] = link.hash
    }

    /// Finds a link, valid or not.
    package subscript(hash: LinkHash) -> PersonalLink? { links[hash] }

    /// Links to an emergency, by recipient.
    package func of(_ emergency: EmergencyID) -> [PersonalLink] {
        (ofEmergency[emergency] ?? [:]).values.compactMap { links[$0] }
            .sorted { $0.recipient < $1.recipient }
    }

    /// Issues the missing links of recipients in the emergencies that a turn has saved.
    ///
    /// Links to an emergency that continues under another id then lead there.
    mutating func follow(_ turn: inout Turn) {
        for effect in turn.effects {
            guard case .save(.emergency(let emergency)) = effect, emergency.state.isActive else {
                continue
            }
            for old in emergency.joined { move(from: old, to: emergency.id, &turn) }
            for recipient in emergency.recipients
            where recipient != emergency.person
                && ofEmergency[emergency.id]?[recipient] == nil
            {
                let token = DerivedID.linkToken(
                    of: emergency.id, for: recipient, secret: secret)
                save(
                    PersonalLink(
                        hash: token.hash, emergency: emergency.id, recipient: recipient,
                        created: turn.now), &turn)
            }
        }
    }

    private mutating func move(
        from old: EmergencyID, to emergency: EmergencyID, _ turn: inout Turn
    ) {
        guard old != emergency, let moved = ofEmergency.removeValue(forKey: old) else { return }
        for hash in moved.sorted(by: { $0.key < $1.key }).map(\.value) {
            guard var link = links[hash] else { continue }
            link.emergency = emergency
            links[hash] = link
            turn.save(.link(link))
        }
    }

    /// Records that somebody was shown the page of a link.
    mutating func look(_ hash: LinkHash, _ turn: inout Turn) {
        guard var link = links[hash] else { return }
        link.looks = min(link.looks, Limits.linkLooksMax - 1) + 1
        link.firstLook = link.firstLook ?? turn.now
        link.lastLook = turn.now
        save(link, &turn)
    }

    private mutating func save(_ link: PersonalLink, _ turn: inout Turn) {
        keep(link)
        turn.save(.link(link))
    }

    /// Removes links of emergencies that are not in memory any more; the store keeps them.
    ///
    /// - Parameter isKnown: whether an emergency is in memory
    mutating func sweep(isKnown: (EmergencyID) -> Bool) {
        links = links.filter { isKnown($0.value.emergency) }
        ofEmergency = ofEmergency.filter { isKnown($0.key) }
    }
}
