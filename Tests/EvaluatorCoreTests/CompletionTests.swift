import EvaluatorCore
import Model
import Testing

/// A further message about the same fix with more values.
@Suite struct CompletionTests {
    @Test func `the speed in a second message confirms an exit`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, accuracy: 5)
        #expect(world.report(north: 200, accuracy: 5).marbles.isEmpty)
        let completed = world.report(north: 200, accuracy: 5, after: 0, speed: 1.5)
        #expect(completed.marbles == "X")
        #expect(completed.crossings.first?.fix.speedCentimetresPerSecond == 150)
        #expect(world.deadlines.isEmpty)
    }

    @Test func `a fix does not confirm itself`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, accuracy: 5)
        _ = world.report(north: 200, accuracy: 5)
        #expect(world.report(north: 200, accuracy: 5, after: 0).marbles.isEmpty)
        #expect(world.report(north: 200, accuracy: 5, after: 0, speed: 0).marbles.isEmpty)
        #expect(world.report(north: 0, accuracy: 5).marbles.isEmpty)
    }

    @Test func `an implausible fix stays implausible when repeated`() {
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
        #expect(world.report(north: 2000, after: 10).suppressed.map(\.reason) == [.suspect])
        #expect(world.report(north: 2000, after: 0, speed: 2).marbles.isEmpty)
        #expect(world.report(north: 10, after: 10).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `the event names the first report with the fix`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, accuracy: 5)
        let held = world.report(north: 200, accuracy: 5)
        let completed = world.report(north: 200, accuracy: 5, after: 0, speed: 1.5)
        #expect(completed.crossings.map(\.report) == held.suppressed.map(\.report))
    }
}
