import EvaluatorCore
import Model
import Testing

/// Every change of presence emits one event, even if nobody is notified.
@Suite struct RecordTests {
    private let near = ConfiguredZone.round().with { $0.alertDistanceMetres = 100 }

    /// The changes of presence as letters of the resulting presence.
    private func chain(_ crossings: [ZoneCrossing]) -> String {
        crossings.filter { $0.before != $0.after }.map {
            "\($0.before.rawValue.prefix(1))→"
                + $0.after.rawValue.prefix(1)
        }.joined(separator: " ")
    }

    @Test func `every change of presence emits one event`() {
        var world = World(zones: [near])
        _ = world.report(north: 900)
        // 900 m: outside; 250 m: near; 0 m: inside.
        let steps: [(north: Double, chain: String)] = [
            (250, "o→n"), (900, "n→o"), (0, "o→i"), (250, "i→n"), (0, "n→i"), (900, "i→o"),
        ]
        for (north, expected) in steps {
            #expect(chain(world.report(north: north, speed: 2).crossings) == expected, "\(north)")
            #expect(world.report(north: north).isEmpty, "once: \(north)")
        }
    }

    @Test func `a zone that no longer applies emits a cleared presence`() throws {
        let pause = UnsharedCircle(circle: World.circle)
        let ends: [(String, (inout World) -> Void)] = [
            ("deleted", { _ = $0.configure([]) }),
            ("switched off", { _ = $0.configure([.round(active: false)]) }),
            ("refused", { _ = $0.configure(optOuts: [.number(1)]) }),
            ("paused", { _ = $0.configure(unshared: [pause]) }),
            ("left", { _ = $0.configure(circles: []) }),
            (
                "the circle is gone",
                { _ = $0.handle(.inputCircleRemoved(CircleRemoval(circle: World.circle))) }
            ),
        ]
        for (name, end) in ends {
            var world = World(zones: [near])
            _ = world.report(north: 150)
            end(&world)
            let cleared = try #require(world.cleared.first, "\(name)")
            #expect(world.cleared.count == 1, "\(name)")
            #expect(chain(world.cleared) == "i→u", "\(name)")
            #expect(cleared.reason == .notApplicable, "\(name)")
            #expect(abs(cleared.distanceCentimetres + 5000) < 10, "\(name)")
            #expect(cleared.circle == World.circle, "\(name)")
            // A person outside has no presence to clear.
            var away = World(zones: [near])
            _ = away.report(north: 1000)
            end(&away)
            #expect(away.cleared.isEmpty, "\(name)")
        }
    }

    @Test func `a zone that changes its kind is cleared and established again`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let outputs = world.configure([.round(kind: .alert)])
        #expect(chain(world.cleared + outputs.crossings) == "i→u u→i")
        #expect(world.cleared.map(\.reason) == [.zoneChanged])
    }

    @Test func `removing a person emits no locations`() {
        var world = World(zones: [near, .round(2, kind: .alert)])
        _ = world.report(north: 0)
        let outputs = world.handle(.inputPersonRemoved(PersonRemoval(person: World.person)))
        #expect(world.cleared.isEmpty)
        #expect(outputs.kinds == [.alarmEnded, .deadlineCancelled])
    }
}
