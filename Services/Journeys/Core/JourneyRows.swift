import Model

public enum JourneyTag: IdentifierKind { public static let prefix = "jny" }
public typealias JourneyID = Identifier<JourneyTag>
package enum JourneyNoteTag: IdentifierKind { package static let prefix = "not" }
package typealias JourneyNoteID = Identifier<JourneyNoteTag>
package enum JourneyPhotoTag: IdentifierKind { package static let prefix = "pho" }
package typealias JourneyPhotoID = Identifier<JourneyPhotoTag>

/// A journey as the core knows it: its period decides which fixes belong to it.
public struct JourneySpan: Hashable, Sendable {
    /// Short number of the journey in the rows of its points; changes with each reset.
    public var number: Int64
    public var started: Timestamp
    /// ``Timestamp/distantFuture`` while it is open.
    public var stopped: Timestamp
    /// Fixes in its period, including those skipped in the path.
    public var fixes: Int
    /// When it last moved; the start if it never did.
    public var moved: Timestamp
    /// Position of that movement; nil before the first fix.
    public var place: Coordinate?

    public init(
        number: Int64, started: Timestamp, stopped: Timestamp = .distantFuture, fixes: Int = 0,
        moved: Timestamp? = nil, place: Coordinate? = nil
    ) {
        self.moved = moved ?? started
        self.place = place
        self.number = number
        self.started = started
        self.stopped = stopped
        self.fixes = fixes
    }

    public var isOpen: Bool { stopped == .distantFuture }
}

/// The circles that may see the exact position of a person from a time on.
public struct JourneySight: Hashable, Sendable {
    public var since: Timestamp
    /// Ascending.
    public var circles: [CircleID]

    public init(since: Timestamp, circles: [CircleID]) {
        self.since = since
        self.circles = circles
    }
}

/// A change in the stored journeys.
public enum JourneyChange: Hashable, Sendable {
    case start(JourneySpan, id: JourneyID, person: PersonID, name: String)
    case stop(number: Int64, at: Timestamp)
    /// All fixes are deleted, and the journey starts again.
    case reset(number: Int64, to: JourneySpan)
    case remove(number: Int64)
    /// The person was removed, with all journeys.
    case removeAll(PersonID)
    case fix(Fix, number: Int64)
    /// Adds values of a later message to the stored fix with this time and position.
    case complete(Fix, number: Int64)
    /// The journey moved with this fix.
    case moved(Fix, number: Int64)
    /// From the first of these times on others may see the person as given; replaces what was
    /// expected for later times.
    case sights([JourneySight], number: Int64)
}

/// A fix of a journey.
package struct JourneyPoint: Hashable, Sendable {
    package var time: Timestamp
    /// Index among the fixes of the same time in order of arrival, from 0.
    package var number: Int32
    package var position: Coordinate
    /// 0 = unknown.
    package var accuracyCentimetres: Int32
    package var altitudeCentimetres: Int32?
    package var speedCentimetresPerSecond: Int32?

    package init(
        time: Timestamp, number: Int32 = 0, position: Coordinate, accuracyCentimetres: Int32 = 0,
        altitudeCentimetres: Int32? = nil, speedCentimetresPerSecond: Int32? = nil
    ) {
        self.time = time
        self.number = number
        self.position = position
        self.accuracyCentimetres = accuracyCentimetres
        self.altitudeCentimetres = altitudeCentimetres
        self.speedCentimetresPerSecond = speedCentimetresPerSecond
    }
}
