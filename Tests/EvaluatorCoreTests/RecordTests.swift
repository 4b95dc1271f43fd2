import EvaluatorCore
import Model
import Testing

/// Every change of presence leaves one record, also where nobody is told of it.
@Suite struct RecordTests {
    private let near = PlacedZone.round().with { $0.alertDistanceMetres = 100 }

    /// The changes of presence among all that was decided, one letter for where each leads.
    private func chain(_ crossings: [ZoneCrossing]) -> String {
        crossings.filter { $0.before != $0.after }.map {
            "\($0.before.rawValue.prefix(1))→"
                + $0.after.rawValue.prefix(1)
        }.joined(separator: " ")
    }

    @Test func `from anywhere to anywhere is one record`() {
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

    @Test func `a zone that judges somebody no longer leaves a record of where they were`() throws {
        let pause = UnsharedCircle(circle: World.circle)
        let ends: [(String, (inout World) -> Void)] = [
            ("deleted", { _ = $0.place([]) }),
            ("switched off", { _ = $0.place([.round(active: false)]) }),
            ("refused", { _ = $0.place(refused: [.number(1)]) }),
            ("paused", { _ = $0.place(unshared: [pause]) }),
            ("left", { _ = $0.place(circles: []) }),
            (
                "the circle is gone",
                { _ = $0.handle(.inputCircleRemoved(CircleRemoval(circle: World.circle))) }
            ),
        ]
        for (name, end) in ends {
            var world = World(zones: [near])
            _ = world.report(north: 150)
            end(&world)
            let forgotten = try #require(world.forgotten.first, "\(name)")
            #expect(world.forgotten.count == 1, "\(name)")
            #expect(chain(world.forgotten) == "i→u", "\(name)")
            #expect(forgotten.reason == .notJudged, "\(name)")
            #expect(abs(forgotten.distanceCentimetres + 5000) < 10, "\(name)")
            #expect(forgotten.circle == World.circle, "\(name)")
            // Of whoever is outside nothing is known that could be forgotten.
            var away = World(zones: [near])
            _ = away.report(north: 1000)
            end(&away)
            #expect(away.forgotten.isEmpty, "\(name)")
        }
    }

    @Test func `one of another kind is forgotten, and found anew`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let outputs = world.place([.round(kind: .alert)])
        #expect(chain(world.forgotten + outputs.crossings) == "i→u u→i")
        #expect(world.forgotten.map(\.reason) == [.zoneChanged])
    }

    @Test func `nothing is kept of where somebody was who is removed`() {
        var world = World(zones: [near, .round(2, kind: .alert)])
        _ = world.report(north: 0)
        let outputs = world.handle(.inputPersonRemoved(PersonRemoval(person: World.person)))
        #expect(world.forgotten.isEmpty)
        #expect(outputs.kinds == [.alarmEnded, .clockUnwanted])
    }
}
