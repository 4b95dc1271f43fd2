import Hashing
import Model

/// The outcome of entering a PIN.
public enum PINVerdict: Hashable, Sendable {
    /// The PIN is right, or none is needed.
    case right
    /// The duress PIN. The caller must answer like to ``right``, in every byte and in time.
    case duress
    /// A PIN is needed, and none was entered. It does not count as a try.
    case missing
    case wrong
    /// Wrong for the fifth time or later. An emergency in countdown opens.
    case tooMany
    /// After five wrong PINs one is compared every few seconds; this one was not. Right PINs are
    /// never locked out for longer.
    case wait(seconds: Int)

    /// Whether the caller is answered as after a right PIN.
    public var isAccepted: Bool { self == .right || self == .duress }
}

/// The outcome of entering a PIN, with the hash that matched.
public struct PINMatch: Hashable, Sendable {
    public var verdict: PINVerdict
    /// Index in ``PersonPIN/hashes``; nil = no hash matched, or none was needed.
    public var slot: Int?

    public init(verdict: PINVerdict, slot: Int? = nil) {
        self.verdict = verdict
        self.slot = slot
    }
}

/// The one check of PINs, with the wrong ones of each person.
///
///     switch pins.check(digits, of: person, in: directory, at: now) { … }
///
/// Each service counts for itself, in memory: counts only open emergencies early and slow down
/// guessing.
public struct PINChecks: Hashable, Sendable {
    private struct Tries: Hashable, Sendable {
        var wrong: Int
        var last: Timestamp
    }

    /// Wrong PINs that open an emergency in countdown.
    public static let wrongMax = 5
    /// After so many wrong ones, one PIN is compared in this time, seconds.
    public static let pauseSeconds: Int64 = 5
    /// Wrong PINs are forgotten after this time without another one, seconds.
    public static let forgottenAfterSeconds: Int64 = 900

    private var tries: [PersonID: Tries] = [:]

    public init() {}

    /// Compares entered digits with the PIN and duress PIN of a person.
    ///
    /// - Parameter digits: as entered; nil = none
    public mutating func check(
        _ digits: String?, of person: PersonID, in directory: Replica, at now: Timestamp
    ) -> PINVerdict {
        match(digits, of: person, in: directory, at: now).verdict
    }

    /// Compares entered digits, and says which hash they have.
    public mutating func match(
        _ digits: String?, of person: PersonID, in directory: Replica, at now: Timestamp
    ) -> PINMatch {
        let pin = directory.pin(of: person)
        guard let digits else {
            guard let pin else { return PINMatch(verdict: .right) }
            return PINMatch(verdict: pin.isShown ? .missing : .duress)
        }
        forget(before: now - .seconds(PINChecks.forgottenAfterSeconds))
        if let wait = pause(of: person, at: now) { return PINMatch(verdict: .wait(seconds: wait)) }
        let slot = (pin ?? PersonPIN(person: person)).slot(of: digits)
        guard let pin else { return PINMatch(verdict: .right) }
        switch slot {
        case 0?:
            tries[person] = nil
            return PINMatch(verdict: .right, slot: 0)
        case let slot?:
            tries[person] = nil
            return PINMatch(verdict: .duress, slot: slot)
        case nil:
            // Who removed the PIN with a duress PIN may enter anything.
            guard pin.isShown else { return PINMatch(verdict: .duress) }
            let wrong = (tries[person]?.wrong ?? 0) + 1
            tries[person] = Tries(wrong: wrong, last: now)
            return PINMatch(verdict: wrong < PINChecks.wrongMax ? .wrong : .tooMany)
        }
    }

    private func pause(of person: PersonID, at now: Timestamp) -> Int? {
        guard let tries = tries[person], tries.wrong >= PINChecks.wrongMax else { return nil }
        let next = tries.last + .seconds(PINChecks.pauseSeconds)
        return next > now ? Int(max(1, (next - now).milliseconds / 1000)) : nil
    }

    private mutating func forget(before time: Timestamp) {
        tries = tries.filter { $0.value.last >= time }
    }
}

extension PersonPIN {
    /// The hash that digits have; nil = none. The PIN wins over a duress PIN with equal digits.
    ///
    /// Compares with all hashes in constant time, and hashes even if there is nothing to compare.
    public func slot(of digits: String) -> Int? {
        let salt =
            Hex.decode(salt).flatMap { $0.count == PINHash.saltBytes ? $0 : nil }
            ?? [UInt8](repeating: 0, count: PINHash.saltBytes)
        let entered = PINHash.of(digits, person: person, salt: salt)
        var found: Int?
        for (slot, hash) in hashes.enumerated().reversed()
        where Hash.isEqual(Hex.decode(hash) ?? [], entered) {
            found = slot
        }
        return found
    }
}

extension Replica {
    /// The hashes of a person's PINs; nil = no PIN is set.
    public func pin(of person: PersonID) -> PersonPIN? { pins[person] }

    /// Whether a person is asked for a PIN. Others than the person may learn only this, and only
    /// where a rule says so.
    public func asksPIN(of person: PersonID) -> Bool { pins[person]?.isShown ?? false }

    /// Why somebody may neither set a PIN nor read whether one is set; nil = it is theirs.
    ///
    /// A phone's credential is not enough: somebody else may hold the phone.
    public func denialOfPIN(
        of person: PersonID, to principal: Principal, at now: Timestamp
    ) -> Denial? {
        switch principal {
        case .operator: .personOnly
        case .device: .notYours
        case .person(let caller):
            caller == person
                ? decide(principal, .editPIN, on: .person(person), at: now).denial : .notYours
        }
    }
}
