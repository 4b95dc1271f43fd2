import Hashing
import Model
import Testing

@testable import Directory

@Suite struct `PINs` {
    private let anna = person(1)
    private let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)

    private func record(_ digits: [String?], isShown: Bool = true) -> PersonPIN {
        let hashes = (0..<PersonPIN.slots).map { slot in
            let digits = slot < digits.count ? digits[slot] : nil
            return Hex.encode(
                digits.map { PINHash.of($0, person: anna, salt: salt) }
                    ?? [UInt8](repeating: UInt8(slot), count: PINHash.hashBytes))
        }
        return PersonPIN(
            person: anna, salt: Hex.encode(salt), hashes: hashes, isShown: isShown)
    }

    private func world(_ pin: PersonPIN?) -> Replica {
        replica([aPerson(1), aPerson(2)] + (pin.map { [.pinChanged($0)] } ?? []))
    }

    private func check(_ digits: String?, _ world: Replica, at time: Timestamp = now) -> PINVerdict
    {
        var checks = PINChecks()
        return checks.check(digits, of: anna, in: world, at: time)
    }

    @Test func `a PIN is right, a duress PIN is duress, all else is wrong`() {
        let world = world(record(["4711", "0815"]))
        #expect(check("4711", world) == .right)
        #expect(check("0815", world) == .duress)
        #expect(check("4712", world) == .wrong)
        #expect(check("", world) == .wrong)
        #expect(check(nil, world) == .missing)
        #expect(world.asksPIN(of: anna) && !world.asksPIN(of: person(2)))
    }

    @Test func `without a PIN none is asked for`() {
        let world = world(nil)
        #expect(check(nil, world) == .right && check("4711", world) == .right)
        #expect(!world.asksPIN(of: anna))
    }

    @Test func `of equal digits the PIN counts`() {
        #expect(check("4711", world(record(["4711", "4711"]))) == .right)
    }

    @Test func `a PIN removed under duress is not asked for, and its absence is duress`() {
        let world = world(record(["4711", "0815"], isShown: false))
        #expect(!world.asksPIN(of: anna))
        #expect(check(nil, world) == .duress && check("9999", world) == .duress)
        #expect(check("4711", world) == .right)
    }

    @Test func `the fifth wrong one opens, and a right one is never locked out`() {
        let world = world(record(["4711", "0815"]))
        var checks = PINChecks()
        func enter(_ digits: String, after seconds: Int64) -> PINVerdict {
            checks.check(digits, of: anna, in: world, at: now + .seconds(seconds))
        }
        #expect((0..<4).map { enter("1111", after: $0) } == Array(repeating: .wrong, count: 4))
        #expect(enter("1111", after: 4) == .tooMany)
        #expect(enter("4711", after: 5) == .wait(seconds: 4), "guessing is slow from now on")
        #expect(enter("1111", after: 9) == .tooMany)
        #expect(enter("4711", after: 14) == .right)
        #expect(enter("1111", after: 15) == .wrong, "a right one forgets the wrong ones")
        #expect(enter("0815", after: 16) == .duress)
        for second in Int64(17)..<21 { #expect(enter("1111", after: second) == .wrong) }
        #expect(
            enter("1111", after: 21 + PINChecks.forgottenAfterSeconds) == .wrong,
            "old wrong ones are forgotten")
    }

    @Test func `wrong PINs of one person are not another one's`() {
        var world = world(record(["4711"]))
        let other = PersonPIN(person: person(2), salt: Hex.encode(salt), hashes: ["00"])
        world.apply(.pinChanged(other))
        var checks = PINChecks()
        for _ in 0..<5 { _ = checks.check("1111", of: anna, in: world, at: now) }
        #expect(checks.check("1111", of: person(2), in: world, at: now) == .wrong)
    }

    @Test func `a hash depends on person, salt and digits`() {
        let other = [UInt8](repeating: 8, count: PINHash.saltBytes)
        let hashes: Set<[UInt8]> = [
            PINHash.of("4711", person: anna, salt: salt),
            PINHash.of("4712", person: anna, salt: salt),
            PINHash.of("4711", person: person(2), salt: salt),
            PINHash.of("4711", person: anna, salt: other),
        ]
        #expect(hashes.count == 4 && hashes.allSatisfy { $0.count == PINHash.hashBytes })
    }

    @Test func `a record goes with its person, and comes with a snapshot`() {
        var before = world(record(["4711"]))
        let copy = replica(DirectorySnapshot(of: before).events)
        #expect(copy == before)
        #expect(
            DirectorySnapshot(of: world(nil)).difference(from: before) == [
                .pinChanged(PersonPIN(person: anna))
            ])
        #expect(EventBody.pinChanged(PersonPIN(person: anna)).mayRevoke(in: before))
        before.apply(.personRemoved(PersonRemoval(person: anna)))
        #expect(before.pin(of: anna) == nil)
        #expect(before.apply(.pinChanged(record(["4711"]))).isEmpty, "nobody has it")
    }

    @Test(arguments: ["123", "123456789", "12a4", "", "１２３４", " 1234"])
    func `has 4 to 8 digits`(digits: String) {
        #expect(!PersonPIN.isValid(digits))
        #expect(PersonPIN.isValid("0000") && PersonPIN.isValid("12345678"))
    }
}
