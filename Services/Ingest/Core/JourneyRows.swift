import Model

public enum JourneyTag: IdentifierKind { public static let prefix = "jny" }
public typealias JourneyID = Identifier<JourneyTag>
public enum JourneyNoteTag: IdentifierKind { public static let prefix = "not" }
public typealias JourneyNoteID = Identifier<JourneyNoteTag>
public enum JourneyPhotoTag: IdentifierKind { public static let prefix = "pho" }
public typealias JourneyPhotoID = Identifier<JourneyPhotoTag>

/// A journey as the core knows it: which fixes fall into it.
public struct JourneySpan: Hashable, Sendable {
    /// Short name of the journey in the rows of its points; another one after each reset.
    public var number: Int64
    public var started: Timestamp
    /// ``Timestamp/distantFuture`` while it is open.
    public var stopped: Timestamp
    /// Fixes that have fallen into it, also those too near to the last one to be part of it.
    public var fixes: Int
    /// When it last got anywhere; while nothing has, when it began.
    public var moved: Timestamp
    /// Where to; nil before the first fix.
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

/// The circles that may see the exact place of a person from a time on.
public struct JourneySight: Hashable, Sendable {
    public var since: Timestamp
    /// Ascending.
    public var circles: [CircleID]

    public init(since: Timestamp, circles: [CircleID]) {
        self.since = since
        self.circles = circles
    }
}

/// What is to be stored of journeys.
public enum JourneyChange: Hashable, Sendable {
    case start(JourneySpan, id: JourneyID, person: PersonID, name: String)
    case stop(number: Int64, at: Timestamp)
    /// Everything in it is gone; it begins again.
    case reset(number: Int64, to: JourneySpan)
    case remove(number: Int64)
    /// The person is gone, and so are all their journeys.
    case removeAll(PersonID)
    case fix(Fix, number: Int64)
    /// A later message adds values to a fix that is stored with its time and position.
    case complete(Fix, number: Int64)
    /// With this fix it got somewhere else.
    case moved(Fix, number: Int64)
    /// From the first of these times on others may see the person so; what was expected for later
    /// is void.
    case sights([JourneySight], number: Int64)
}

/// A fix of a journey.
public struct JourneyPoint: Hashable, Sendable {
    public var time: Timestamp
    /// Counts the fixes of the same time in the order in which they arrived, from 0.
    public var number: Int32
    public var position: Coordinate
    /// 0 = unknown.
    public var accuracyCentimetres: Int32
    public var altitudeCentimetres: Int32?
    public var speedCentimetresPerSecond: Int32?

    public init(
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
