/// Lets things go wrong around the turn of a process, as often as the seed has it.
final class Mishaps {
    private unowned let world: World
    private var chance: Chance
    private(set) var counts: [String: Int] = [:]

    init(_ world: World, _ chance: Chance) {
        self.world = world
        self.chance = chance
    }

    /// The turn of a process, or what becomes of it.
    func take(_ seat: Seat) throws {
        guard !world.isCalm else { return seat.step() }
        let faults = world.faults
        try copyDisks(seat)
        troubleTheWorld(seat)
        if chance.comes(faults.stopped) {
            count("stopped")
            return seat.stop(until: world.now + Int64(chance.in(500...15_000)))
        }
        if seat.service == .evaluator, chance.comes(faults.ended) {
            count("ended")
            seat.end()
        }
        if seat.disk != nil, chance.comes(faults.diskFull) {
            count("disk full")
            seat.diskFullUntil = world.now + Int64(chance.in(500...8000))
        }
        if chance.comes(faults.commitFails) {
            count("commit failed")
            seat.spoilsCommit = true
        }
        if chance.comes(faults.killed) { return try kill(seat, "killed") }
        if chance.comes(faults.killedInTransaction) {
            seat.spoilsCommit = true
            seat.life?.mouth.left = 0
            seat.step()
            return try kill(seat, "killed in a transaction")
        }
        if chance.comes(faults.mutedAndKilled) {
            seat.life?.mouth.left = chance.pick([0, 0, 1, 2, 5])
            seat.step()
            return try kill(seat, "killed while it spoke")
        }
        seat.step()
    }

    private func count(_ what: String) {
        counts[what, default: 0] += 1
        world.trace.say("    \(what)")
    }

    private func kill(_ seat: Seat, _ how: String) throws {
        guard seat.life != nil else { return }
        count(how)
        let time = world.now + Int64(chance.pick([50, 200, 1000, 4000, 12_000]))
        seat.die(startingAgainAt: time)
        guard let disk = seat.disk, disk.copied != nil,
            world.faults.olderDiskOf.contains(seat.name), chance.comes(world.faults.olderDisk)
        else { return }
        count("older disk of \(seat.name)")
        try disk.putBack(in: world.step)
    }

    private func copyDisks(_ seat: Seat) throws {
        guard let disk = seat.disk, world.faults.olderDisk > 0,
            world.faults.olderDiskOf.contains(seat.name), chance.comes(20)
        else { return }
        try disk.copy(before: world.step)
        world.trace.say("    copied")
    }

    /// What is nobody's own: the network, the wall clock, the gateways.
    private func troubleTheWorld(_ seat: Seat) {
        let faults = world.faults
        if chance.comes(faults.cut) {
            count("cut")
            let other = chance.pick(world.seats.filter { $0 !== seat })
            let end = world.now + Int64(chance.in(200...12_000))
            world.network.cut(.init(from: seat.name, to: other.name), until: end)
            if chance.comes(500) {
                world.network.cut(.init(from: other.name, to: seat.name), until: end)
            }
        }
        if chance.comes(faults.wallJumps) {
            count("wall jump")
            // Back by a little only: whoever starts then waits so much longer.
            world.wallOffset += Int64(chance.pick([-20_000, -6000, 6000, 60_000, 3_600_000]))
        }
        if seat.service == .notifier, chance.comes(faults.gatewaysDown) {
            count("gateways down")
            world.carrier.downUntil = world.now + Int64(chance.in(1000...20_000))
        }
    }

    /// From now on nothing goes wrong.
    func end() {
        world.network.heal()
        world.carrier.downUntil = 0
        for seat in world.seats {
            seat.diskFullUntil = 0
            seat.stoppedUntil = 0
            if seat.life == nil { seat.startsAt = min(seat.startsAt, world.now + 100) }
        }
    }
}
