/// Limits of journeys. Durations are in seconds.
package enum JourneyLimits {
    /// Journeys per person, including an open one; more are rejected until one is deleted.
    package static let perPersonMax = 1000
    /// Fixes per journey; further ones are not added.
    package static let fixesMax = 1_000_000
    /// A fix closer than this to the last one kept is skipped in the path.
    package static let thinningMetres = 3.0
    /// Distance that counts as movement; an open journey without movement counts as forgotten.
    package static let movedMetres = 200.0
    /// A stay within this distance of a place …
    package static let stopMetres = 50.0
    /// … for this long is a stop.
    package static let stopSeconds: Int64 = 300
    /// Stops listed per journey; all are counted.
    package static let stopsShown = 500
    /// Journeys deleted in one turn, and fixes of deleted journeys.
    package static let forgottenPerTurn = 10
    package static let fixesForgottenPerTurn = 5000
    /// Fixes that one reader of a journey gets per portion …
    package static let fixesPerPortion = 2000
    /// … and portions per turn.
    package static let portionsPerTurn = 4
    /// A reader with this many unsent bytes gets no more portions.
    package static let unsentBytesMax = 512 << 10
    /// Concurrent readers of journeys; more are answered 503 …
    package static let readersMax = 64
    /// … of them exports of a person's data …
    package static let exportsMax = 4
    /// … and replays.
    package static let replaysMax = 16
    /// Factors of the speed of a replay.
    package static let replaySpeeds = 0.1...1_000_000
    /// Maximum pause between two points of a replay.
    package static let replayPauseSeconds: Int64 = 10
    /// Maximum tolerance of a simplified journey, metres.
    package static let toleranceMetresMax = 100_000.0
    /// Journeys in one page of a list.
    package static let pageMax = 1000
    /// Notes and photos per journey; characters of a note and of a name.
    package static let notesMax = 1000
    package static let photosMax = 200
    package static let noteCharacters = 2000
    package static let nameCharacters = 100
    /// Bytes of all photos of a person, so that one account cannot fill the disk.
    package static let photoBytesOfPerson = 512 << 20
    /// Photo files removed in one turn.
    package static let photosRemovedPerTurn = 20
    /// Points that are simplified at a time, which bounds the work.
    package static let simplifyBlock = 512
}
