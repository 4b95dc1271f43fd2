import Directory
import Hashing
import Model

/// A PIN as its person wants it.
public struct PINPatch: Hashable, Sendable {
    public enum Target: Hashable, Sendable { case pin, duressPIN }

    /// Random bytes that a new record needs: a salt, and fillers for unused hashes.
    public static let randomBytes = PINHash.saltBytes + PersonPIN.slots * PINHash.hashBytes

    public var target: Target
    /// The new digits; nil = remove it.
    public var digits: String?
    /// The PIN until now, as entered; nil = none.
    public var current: String?
    /// ``randomBytes`` bytes.
    public var random: [UInt8]

    public init(
        _ target: Target, digits: String? = nil, current: String? = nil, random: [UInt8]
    ) {
        self.target = target
        self.digits = digits
        self.current = current
        self.random = random
    }

    fileprivate var salt: String { Hex.encode(random.prefix(PINHash.saltBytes)) }

    /// Random bytes in place of an unused hash.
    fileprivate func filler(_ slot: Int) -> String {
        let start = PINHash.saltBytes + slot * PINHash.hashBytes
        return Hex.encode(random[start..<start + PINHash.hashBytes])
    }
}

/// Decides changes of PINs.
///
/// A person who enters a duress PIN sees the same as with the PIN: from then on they change duress
/// PINs only, and the PIN stays as it is. A change touches nothing else, not even the version of
/// its person.
struct PINs {
    let context: CommandContext
    /// What the entered PIN is.
    let match: PINMatch

    func set(_ patch: PINPatch, by personID: PersonID) -> Verdict {
        let denial = context.directory.denialOfPIN(
            of: personID, to: context.command.principal, at: context.now)
        if let denial { return .rejected(.denied(denial)) }
        guard context.directory.person(personID) != nil else {
            return .rejected(.missing("person"))
        }
        switch match.verdict {
        case .right, .duress: return change(patch, of: personID)
        case .missing:
            return .rejected(
                CommandRejection(
                    .invalid, "the PIN is needed", field: "current",
                    hint: "send your current PIN as \"current\""))
        case .wrong, .tooMany:
            return .rejected(
                CommandRejection(
                    .wrongPIN, "the PIN is wrong", field: "current",
                    hint: "send your current PIN as \"current\""))
        case .wait(let seconds):
            return .rejected(
                CommandRejection(
                    .tooOften(.seconds(Int64(seconds))), "wait after five wrong PINs"))
        }
    }

    private func change(_ patch: PINPatch, of person: PersonID) -> Verdict {
        let stored = context.directory.pin(of: person)
        let isUnderDuress = match.verdict == .duress
        // Without a shown PIN, what is done under duress is done with the first duress PIN.
        let slot = match.slot ?? (isUnderDuress ? 1 : 0)
        switch patch.target {
        case .pin:
            guard let digits = patch.digits else {
                return removal(of: stored, isUnderDuress: isUnderDuress, person)
            }
            var pin = stored ?? PINs.empty(person, patch)
            let hash = pin.hash(of: digits)
            // Of equal digits the PIN counts; a duress PIN with them is gone.
            for other in pin.hashes.indices where slot == 0 && pin.hashes[other] == hash {
                pin.hashes[other] = patch.filler(other)
            }
            pin.hashes[slot] = hash
            pin.isShown = true
            return done(pin)
        case .duressPIN:
            guard var pin = stored, pin.isShown else {
                return .rejected(
                    CommandRejection(
                        .conflict, "set a PIN first",
                        hint: "a duress PIN works beside a PIN only"))
            }
            if let digits = patch.digits, digits == patch.current {
                return .rejected(
                    CommandRejection(
                        .invalid, "must differ from the PIN", field: "pin",
                        hint: "choose other digits"))
            }
            let target = min(slot + 1, PersonPIN.slots - 1)
            pin.hashes[target] = patch.digits.map(pin.hash) ?? patch.filler(target)
            return done(pin)
        }
    }

    private func removal(
        of stored: PersonPIN?, isUnderDuress: Bool, _ person: PersonID
    ) -> Verdict {
        guard var pin = stored, isUnderDuress else { return done(PersonPIN(person: person)) }
        pin.isShown = false
        return done(pin)
    }

    private func done(_ pin: PersonPIN) -> Verdict {
        .done([.pinChanged(pin)], .pin(isSet: !pin.isEmpty && pin.isShown))
    }

    private static func empty(_ person: PersonID, _ patch: PINPatch) -> PersonPIN {
        PersonPIN(
            person: person, salt: patch.salt,
            hashes: (0..<PersonPIN.slots).map { patch.filler($0) })
    }
}

extension PersonPIN {
    /// The hash to store for digits.
    fileprivate func hash(of digits: String) -> String {
        guard let salt = Hex.decode(salt), salt.count == PINHash.saltBytes else {
            fatalError("broken invariant: the salt of a stored PIN has \(PINHash.saltBytes) bytes")
        }
        return Hex.encode(PINHash.of(digits, person: person, salt: salt))
    }
}
