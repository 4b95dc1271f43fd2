import Directory
import JourneysCore
import Model
import Parsing
import Web

/// Sums up a journey and responds at its end.
final class JourneySummaryReader: JourneyReader {
    let request: UInt64
    let head: Response
    private let sightline: JourneySightline
    private let members: [JSON.Member]
    private var tally: JourneyTally
    private var place: JourneyPlace
    private var count = 0

    /// - Parameters:
    ///   - head: status and headers of the response
    ///   - members: fields of the response before those of the summary
    ///   - tally: stored summary of the earlier fixes, if the viewer sees everything
    init(
        _ request: UInt64, _ sightline: JourneySightline, head: Response, _ members: [JSON.Member],
        from tally: JourneyTally
    ) {
        self.request = request
        self.sightline = sightline
        self.head = head
        self.members = members
        self.tally = tally
        place = tally.time.map { JourneyPlace(time: $0, number: tally.number) } ?? .beginning
    }

    var due: Timestamp? { nil }

    func isAllowed(_ store: JourneyStore, in directory: Replica, at now: Timestamp) throws -> Bool {
        try sightline.isAllowed(store, in: directory, at: now)
    }

    func advance(_ store: JourneyStore, at now: Timestamp) throws -> JourneyPortion {
        let header = sightline.header
        var read = 0
        try store.fixes(
            of: header.span.number, after: place, limit: JourneyLimits.fixesPerPortion
        ) { point in
            read += 1
            tally.append(point, sightline.windows)
            place = JourneyPlace(time: point.time, number: point.number)
        }
        count += read
        guard read < JourneyLimits.fixesPerPortion else { return .nothing }
        // Stores long summaries for reuse; other viewers have other summaries.
        if sightline.viewer.isOwn, count >= JourneyLimits.fixesPerPortion {
            try store.keep(tally, of: header.span.number, lates: header.lates)
        }
        var response = head
        response.body = JSON.object(members + sum).serialized()
        return .answer(response)
    }

    private var sum: [JSON.Member] {
        let summary = tally.summary
        func seconds(_ microseconds: Int64) -> JSON { .number(Double(microseconds) / 1e6) }
        func time(_ time: Timestamp?) -> JSON { time.map { .string($0.description) } ?? .null }
        let stops = summary.stops.map { stop -> JSON in
            [
                "from": time(stop.from), "to": time(stop.to),
                "lat": .number(stop.position.latitude), "lon": .number(stop.position.longitude),
            ]
        }
        return [
            .init("points", .integer(Int64(summary.points))),
            .init("distance", .number((summary.metres * 100).rounded() / 100)),
            .init("duration", seconds(summary.microseconds)),
            .init("movingTime", seconds(summary.movingMicroseconds)),
            .init("first", time(summary.first)), .init("last", time(summary.last)),
            .init("stopCount", .integer(Int64(summary.stopCount))),
            .init("stops", .array(stops)),
        ]
    }
}
