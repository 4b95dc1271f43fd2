import Directory
import Hashing
import JourneysCore
import Model
import Web

/// Writes the path of a journey.
final class JourneyPathReader: JourneyReader {
    let request: UInt64
    let head: Response
    private let sightline: JourneySightline
    private let format: any JourneyFormat
    private var path: JourneyPath
    private var steps: [JourneyStep] = []
    /// The last fix read.
    private var place: JourneyPlace
    private var isRead = false
    /// The last point that cannot change any more, and the number of points up to it.
    private var firm: JourneyPoint?
    private var points: Int

    /// - Parameters:
    ///   - from: continues at this point, which the reader has as number `index` from 0
    init(
        _ request: UInt64, _ sightline: JourneySightline, head: Response,
        _ format: any JourneyFormat, toleranceMetres: Double = 0,
        from: (place: JourneyPlace, index: Int)? = nil
    ) {
        self.request = request
        self.sightline = sightline
        self.head = head
        self.format = format
        path = JourneyPath(sightline.windows, toleranceMetres: toleranceMetres)
        place = .beginning
        points = from?.index ?? 0
        if let from {
            place = JourneyPlace(time: from.place.time, number: from.place.number - 1)
        }
    }

    var due: Timestamp? { nil }

    func isAllowed(_ store: JourneyStore, in directory: Replica, at now: Timestamp) throws -> Bool {
        try sightline.isAllowed(store, in: directory, at: now)
    }

    func advance(_ store: JourneyStore, at now: Timestamp) throws -> JourneyPortion {
        if !isRead {
            try read(store)
            guard isRead else { return .piece(format.popBytes()) }
        }
        return format.writeRest() ? .last(format.popBytes()) : .piece(format.popBytes())
    }

    private func read(_ store: JourneyStore) throws {
        var count = 0
        let number = sightline.header.span.number
        try store.fixes(of: number, after: place, limit: JourneyLimits.fixesPerPortion) { point in
            count += 1
            path.append(point, into: &steps)
            place = JourneyPlace(time: point.time, number: point.number)
        }
        write()
        guard count < JourneyLimits.fixesPerPortion else { return }
        isRead = true
        let next = firm.map { cursor(of: $0) }
        path.finish(into: &steps)
        write()
        format.finish(next: next)
    }

    private func write() {
        for step in steps {
            format.write(step)
            if case .point(let point) = step {
                firm = point
                points += 1
            }
        }
        steps.removeAll(keepingCapacity: true)
    }

    private func cursor(of point: JourneyPoint) -> String {
        JourneyCursor(
            journey: sightline.header.span.number, lates: sightline.header.lates,
            sights: JourneyCursor.digest(of: sightline.windows), index: points - 1,
            place: JourneyPlace(time: point.time, number: point.number)
        ).text
    }
}

/// A position in a path from which a reader continues. It is valid until a late fix arrives or the
/// visible parts change.
struct JourneyCursor: Hashable {
    var journey: Int64
    var lates: Int64
    /// Digest of the windows.
    var sights: String
    /// Index of the point, from 0.
    var index: Int
    var place: JourneyPlace

    var text: String {
        "\(journey).\(lates).\(sights).\(index).\(place.time.microseconds).\(place.number)"
    }

    /// Nil if the text is not a cursor.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let count = 0...UntrustedNumber.most
        guard parts.count == 6, let journey = UntrustedNumber.integer(parts[0], in: count),
            let lates = UntrustedNumber.integer(parts[1], in: count),
            let index = UntrustedNumber.integer(parts[3], in: 0...JourneyLimits.fixesMax),
            let time = UntrustedNumber.integer(
                parts[4], in: -UntrustedNumber.most...UntrustedNumber.most),
            let number = UntrustedNumber.integer(parts[5], in: 0...Int(Int32.max))
        else { return nil }
        self.init(
            journey: Int64(journey), lates: Int64(lates), sights: String(parts[2]), index: index,
            place: JourneyPlace(
                time: Timestamp(microseconds: Int64(time)), number: Int32(number)))
    }

    /// Digest of the windows, except for the end of the last one, which does not affect earlier
    /// points.
    static func digest(of windows: [JourneyWindow]) -> String {
        var parts: [HashPart] = []
        for (index, window) in windows.enumerated() {
            parts.append(.number(window.from.microseconds))
            if index + 1 < windows.count { parts.append(.number(window.to.microseconds)) }
        }
        return String(Hash.id(of: parts).text.prefix(8))
    }

    init(journey: Int64, lates: Int64, sights: String, index: Int, place: JourneyPlace) {
        self.journey = journey
        self.lates = lates
        self.sights = sights
        self.index = index
        self.place = place
    }
}
