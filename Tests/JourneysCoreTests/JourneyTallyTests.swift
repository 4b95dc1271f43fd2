import Model
import TestSupport
import Testing

@testable import JourneysCore

@Suite struct `The sum of a journey` {
    private func summary(_ trip: Trip, _ windows: [JourneyWindow] = Trip.all) -> JourneySummary {
        var tally = JourneyTally()
        for point in trip.points { tally.append(point, windows) }
        return tally.summary
    }

    /// Stops found by looking ahead from each place where a stay may begin.
    private func stops(_ points: [JourneyPoint]) -> [JourneyStop] {
        var stops: [JourneyStop] = []
        var index = 0
        while index < points.count {
            let stay = points[index...].prefix { Trip.metres(points[index], $0) <= 50 }
            let last = stay.last ?? points[index]
            if last.time - points[index].time >= .seconds(300) {
                stops.append(
                    JourneyStop(
                        from: points[index].time, to: last.time, position: points[index].position))
            }
            index += max(1, stay.count)
        }
        return stops
    }

    @Test func `equals that of a simple reference, part by part`() {
        var generator = SeededGenerator(seed: 10)
        for count in 0..<150 {
            let trip = Trip(count, using: &generator)
            let middle = start + .seconds(Int64(count) * 20)
            let windows = [
                JourneyWindow(from: start, to: middle),
                JourneyWindow(from: middle + .seconds(100), to: .distantFuture),
            ]
            for windows in [Trip.all, windows] {
                let parts = windows.map { window in trip.points.filter { window.holds($0.time) } }
                let kept = windows.map(trip.kept)
                let metres = kept.map { part in
                    zip(part, part.dropFirst()).map(Trip.metres).reduce(0, +)
                }
                let spans = parts.map { part in
                    part.isEmpty ? 0 : (part[part.count - 1].time - part[0].time).microseconds
                }
                let stops = parts.flatMap(stops)
                let sum = summary(trip, windows)
                #expect(sum.points == kept.map(\.count).reduce(0, +))
                #expect(abs(sum.metres - metres.reduce(0, +)) < 0.01)
                #expect(sum.microseconds == spans.reduce(0, +))
                #expect(sum.stops == stops && sum.stopCount == stops.count)
                let stood = stops.map { ($0.to - $0.from).microseconds }.reduce(0, +)
                #expect(sum.movingMicroseconds == sum.microseconds - stood)
                let all = parts.flatMap(\.self)
                #expect(sum.first == all.first?.time && sum.last == all.last?.time)
            }
        }
    }

    @Test func `of a walk, a coffee and a walk`() {
        var points: [JourneyPoint] = []
        func add(_ seconds: Int64, north metres: Double) {
            points.append(
                JourneyPoint(
                    time: start + .seconds(seconds),
                    position: Coordinate(latitude: metres / 111_194.9, longitude: 100)!))
        }
        // 1.4 m/s for 10 minutes, half an hour of sitting with noise, and back.
        for second in stride(from: 0, through: 600, by: 10) {
            add(Int64(second), north: Double(second) * 1.4)
        }
        for minute in 11..<40 { add(Int64(minute) * 60, north: 840 + Double(minute % 3) * 5) }
        for second in stride(from: 0, through: 600, by: 10) {
            add(2400 + Int64(second), north: 840 - Double(second) * 1.4)
        }
        let sum = summary(Trip(points: points))
        #expect(sum.stopCount == 1)
        #expect(sum.microseconds == 3000 * 1_000_000)
        #expect((1100...1260).contains(sum.movingMicroseconds / 1_000_000))
        #expect((1680...2100).contains(sum.metres))
    }

    @Test func `can be stored and restored at any point`() throws {
        var generator = SeededGenerator(seed: 11)
        let trip = Trip(120, using: &generator)
        let whole = summary(trip)
        for cut in 0...120 {
            var tally = JourneyTally()
            for point in trip.points[..<cut] { tally.append(point, Trip.all) }
            var again = tally
            for point in trip.points[cut...] { again.append(point, Trip.all) }
            #expect(again.summary == whole)
            _ = tally.summary
            #expect(tally.time == (cut == 0 ? nil : trip.points[cut - 1].time))
        }
    }
}
