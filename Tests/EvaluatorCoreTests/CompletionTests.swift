import EvaluatorCore
import Model
import Testing

/// A further message of the same fix, which tells more of it.
@Suite struct CompletionTests {
    @Test func `who leaves has left with the speed of the second message`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, accuracy: 5)
        #expect(world.report(north: 200, accuracy: 5).marbles.isEmpty)
        let completed = world.report(north: 200, accuracy: 5, after: 0, speed: 1.5)
        #expect(completed.marbles == "X")
        #expect(completed.crossings.first?.fix.speedCentimetresPerSecond == 150)
        #expect(world.clocks.isEmpty)
    }

    @Test func `a fix does not confirm itself`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, accuracy: 5)
        _ = world.report(north: 200, accuracy: 5)
        #expect(world.report(north: 200, accuracy: 5, after: 0).marbles.isEmpty)
        #expect(world.report(north: 200, accuracy: 5, after: 0, speed: 0).marbles.isEmpty)
        #expect(world.report(north: 0, accuracy: 5).marbles.isEmpty)
    }

    @Test func `a fix that nobody can have reached stays so when it comes again`() {
        for speed in [nil, 0, 2] as [Double?] {
            var world = World(zones: [.round()])
            for _ in 0..<3 { _ = world.report(north: 0, speed: 0) }
            #expect(world.report(north: 1500, after: 180).marbles == "")
            #expect(world.report(north: 1500, after: 0, speed: speed).marbles == "")
            #expect(world.report(north: 0, after: 100, speed: 0).marbles == "")
            #expect(world.wait(seconds: 7200).marbles == "")
        }
    }

    @Test func `a suspect does not confirm itself`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.report(north: 2000, after: 10).withheld.map(\.reason) == [.suspect])
        #expect(world.report(north: 2000, after: 0, speed: 2).marbles.isEmpty)
        #expect(world.report(north: 10, after: 10).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `the event names the report that brought the fix first`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, accuracy: 5)
        let held = world.report(north: 200, accuracy: 5)
        let completed = world.report(north: 200, accuracy: 5, after: 0, speed: 1.5)
        #expect(completed.crossings.map(\.report) == held.withheld.map(\.report))
    }
}
