import Dialects
import Directory
import Hashing
import Model

/// Names and avatars that people set in their apps.
struct Cards {
    private var heads: [PersonID: CardHead]
    /// Avatars sent to each phone. Not stored: sent again after a restart.
    private var sent: [Recipient: SentAvatar] = [:]

    /// A phone, and the person whom it shows.
    private struct Recipient: Hashable {
        var viewer: DeviceID
        var person: PersonID
    }

    private struct SentAvatar {
        var avatar: ID128
        var sent: Timestamp
    }

    init(heads: [PersonID: CardHead]) { self.heads = heads }

    mutating func apply(_ card: Card, of person: PersonID, _ turn: inout Turn<Effect>) {
        let avatar =
            card.keepsAvatar ? heads[person]?.avatar : card.avatar.map { Hash.blake2b128($0) }
        let head = CardHead(name: card.name, avatar: avatar)
        if heads.updateValue(head, forKey: person) != head {
            turn.emit(.device(.saveCard(person, card, avatar: avatar)))
        }
    }

    /// Adds names and avatars of cards to friends. An avatar is omitted if the phone got it within
    /// the hour: avatars are large, and apps keep them. Cards without an avatar would remove it, so
    /// none is sent in between.
    mutating func add(
        to friends: inout [OwnTracks.Friend], for viewer: DeviceID, at now: Timestamp
    ) {
        for index in friends.indices {
            guard let person = friends[index].person, let head = heads[person] else { continue }
            if let name = head.name { friends[index].name = name }
            guard let avatar = head.avatar else { continue }
            let key = Recipient(viewer: viewer, person: person)
            if let last = sent[key], last.avatar == avatar,
                now - last.sent < .seconds(Limits.avatarSeconds)
            {
                friends[index].card = .none
            } else {
                sent[key] = SentAvatar(avatar: avatar, sent: now)
                friends[index].card = .avatar
            }
        }
    }

    mutating func forget(_ person: PersonID) { heads[person] = nil }
}
