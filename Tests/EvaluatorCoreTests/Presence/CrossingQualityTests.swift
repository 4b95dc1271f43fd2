import EvaluatorCore
import Model
import Testing

/// How certain entering must be, how soon leaving is trusted, and how fast people can move.
@Suite struct CrossingQualityTests {
    // MARK: Entering a safe zone

    @Test func `one fix enters if the reported speed agrees`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 300, speed: 2)
        #expect(world.report(north: 150, speed: 2).marbles == "E")
    }

    @Test func `a jump enters nothing until the next fix agrees`() {
        for speed in [0, 1] as [Double] {
            var world = World(zones: [.round()])
            _ = world.report(north: 900, speed: speed)
            let jump = world.report(north: 50, speed: speed)
            #expect(jump.marbles == "" && jump.suppressed.map(\.reason) == [.unconfirmed])
            #expect(world.report(north: 40, speed: speed).marbles == "E")
        }
    }

    @Test(arguments: [(900, 0), (1200, nil)] as [(Double, Double?)])
    func `a jump and back is not a visit`(far: Double, speed: Double?) {
        var world = World(zones: [.round()])
        _ = world.report(north: far, speed: 0)
        _ = world.report(north: far, speed: speed)
        #expect(world.report(north: 50, speed: speed).marbles == "")
        #expect(world.report(north: far, speed: speed).marbles == "")
        #expect(world.report(north: 50, speed: speed).marbles == "")
        #expect(world.wait(seconds: 7200).marbles == "")
    }

    @Test func `driving home without a reported speed enters by one fix`() {
        var world = World(zones: [.round()])
        for north in [6100.0, 4600, 3100, 1600] {
            #expect(world.report(north: north).marbles == "")
        }
        #expect(world.report(north: 100).marbles == "E")
        // At 0.5 m/s² from rest it is 900 m in a minute.
        for (north, marbles) in [(1010.0, "E"), (1020, "")] {
            var still = World(zones: [.round()])
            _ = still.report(north: north)
            _ = still.report(north: north)
            #expect(still.report(north: 95).marbles == marbles, "\(north)")
            #expect(still.report(north: 95).marbles == (marbles == "E" ? "" : "E"))
        }
    }

    @Test func `noise across the edge does not delay an enter within the margin`() {
        var world = World(zones: [.round(radius: 400)])
        _ = world.report(north: 600, accuracy: 60)
        // The margin is 120 m: up to 60 m outside contradicts nothing.
        for north in [295.0, 295, 455, 295, 440] {
            #expect(world.report(north: north, accuracy: 60).marbles == "")
        }
        #expect(world.report(north: 295, accuracy: 60).marbles == "E")
        var away = World(zones: [.round(radius: 400)])
        _ = away.report(north: 600, accuracy: 60)
        for north in [295.0, 295, 465, 295, 440, 295] {
            #expect(away.report(north: north, accuracy: 60).marbles == "")
        }
    }

    @Test func `a person inside by less than the margin enters after a while`() {
        var world = World(zones: [.round(radius: 400)])
        _ = world.report(north: 600, accuracy: 60)
        // 105 m inside, with a margin of 120 m.
        for _ in 0..<5 { #expect(world.report(north: 295, accuracy: 60).marbles == "") }
        #expect(world.report(north: 295, accuracy: 60).marbles == "E")
    }

    @Test func `a zone too small for the margin needs two fixes`() {
        var world = World(zones: [.round(radius: 60)])
        _ = world.report(north: 200, accuracy: 40)
        #expect(world.report(north: 20, accuracy: 40, speed: 3).marbles == "")
        #expect(world.report(north: 15, accuracy: 40, speed: 3).marbles == "E")
    }

    // MARK: Leaving by one fix

    @Test func `the farther beyond a fix is, the shorter leaving waits`() {
        // Metres beyond the edge, accuracy, wait in seconds.
        for (beyond, accuracy, wait) in [
            (250.0, 10.0, 60), (120, 10, 125), (90, 30, 200), (600, 10, 60), (500, 50, 150),
        ] as [(Double, Double, Int64)] {
            var world = World(zones: [.round()])
            _ = world.report(north: 0)
            _ = world.report(north: 0)
            #expect(world.report(north: 200 + beyond, accuracy: accuracy).marbles == "")
            #expect(world.wait(seconds: wait - 2).marbles == "", "\(beyond)")
            #expect(world.wait(seconds: 4).marbles == "X", "\(beyond)")
        }
    }

    @Test func `beyond a kilometre there is no wait`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 0)
        #expect(world.report(north: 1250, after: 600).marbles == "X")
    }

    @Test func `a fix that is implausible from rest waits at any distance`() {
        // At 1 m/s²: 450 m in 30 s, and both accuracies.
        for (north, wait) in [(465.0, 60), (475, 200)] as [(Double, Int64)] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 0)
            _ = world.report(north: 0)
            #expect(world.report(north: north, after: 30).marbles == "")
            #expect(world.wait(seconds: wait - 2).marbles == "", "\(north)")
            #expect(world.wait(seconds: 4).marbles == "X", "\(north)")
        }
        // 1,500 m in 30 s are less than 70 m/s, and no suspect.
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 0)
        #expect(world.report(north: 1500, after: 30).suppressed.map(\.reason) == [.unconfirmed])
        #expect(world.report(north: 0, after: 150).marbles == "")
        #expect(world.wait(seconds: 7200).marbles == "")
    }

    @Test func `a phone that reported standing and now reports no speed is waited for`() {
        var world = World(zones: [.round()])
        for _ in 0..<3 { _ = world.report(north: 0, after: 180, speed: 0) }
        #expect(world.report(north: 2000, after: 180).marbles == "")
        #expect(world.report(north: 0, after: 180, speed: 0).marbles == "")
        #expect(world.wait(seconds: 7200).marbles == "")
        // After a long time it may have moved.
        #expect(world.report(north: 2000, after: 301).marbles == "X")
    }

    @Test func `a moving person leaves by one fix, even without a reported speed`() {
        var world = World(zones: [.round()])
        for north in [0.0, 60, 150] { _ = world.report(north: north) }
        #expect(world.report(north: 260).marbles == "X")
        // A person who stood until then does not.
        var still = World(zones: [.round()])
        for north in [145.0, 150, 150] { _ = still.report(north: north) }
        #expect(still.report(north: 260).marbles == "")
    }

    @Test func `a jump of a standing phone waits for a second fix`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0, speed: 0)
        _ = world.report(north: 0, speed: 0)
        #expect(world.report(north: 900, speed: 0).marbles == "")
        #expect(world.wait(seconds: 61).marbles == "")
        #expect(world.report(north: 0, speed: 0).marbles == "")
    }

    // MARK: High speed

    /// A train at 90 m/s with a fix every 10 s leaves a city of 4 km: the number of fixes until the
    /// exit.
    private func fixesUntilLeft(speed: Double?) -> Int? {
        var world = World(zones: [.round(radius: 4000)])
        _ = world.report(north: 0, after: 10, speed: speed)
        var outside = 0
        for step in 1...20 {
            let north = Double(step) * 900
            if north > 4020 { outside += 1 }
            if world.report(north: north, after: 10, speed: speed).marbles.contains("X") {
                return outside
            }
        }
        return nil
    }

    @Test func `a fast train is trusted by its reported speed`() {
        #expect(fixesUntilLeft(speed: 90) == 1)
    }

    @Test func `a fast train is trusted when three fixes agree`() {
        #expect(fixesUntilLeft(speed: nil).map { $0 <= 3 } == true)
    }

    @Test func `350 metres a second is the maximum speed`() {
        var world = World(zones: [.round(radius: 4000)])
        _ = world.report(north: 0, after: 10)
        for step in 1...5 {
            #expect(world.report(north: Double(step) * 4500, after: 10).marbles == "")
        }
    }

    @Test func `the wait of suspects counts from the first one`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        var said = ""
        for step in 0..<16 {
            said += world.wait(seconds: 60).marbles
            let side = step % 2 == 0 ? 60_000.0 : -60_000
            said += world.report(north: side, after: 60).marbles
        }
        #expect(said == "X")
    }

    // MARK: Old fixes

    @Test func `a dwell event says that its fix is old`() {
        for (interval, isOld) in [(600, false), (960, true)] as [(Int64, Bool)] {
            var world = World(zones: [ConfiguredZone.round().with { $0.dwellSeconds = 1800 }])
            _ = world.report(north: 500, after: 60)
            _ = world.report(north: 0, after: 60)
            _ = world.report(north: 0, after: 60)
            _ = world.report(north: 0, after: 1740 - interval)
            let said = world.wait(seconds: interval + 60)
            #expect(said.marbles == "D")
            #expect(said.crossings.map(\.isFixOld) == [isOld])
        }
    }
}
