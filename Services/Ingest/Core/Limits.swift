import Dialects

/// Bounds and default figures of ingest, in one place. Durations are in seconds.
public enum Limits {
    /// A fix farther in the future than this is marked `clockSkew`.
    public static let futureSeconds: Int64 = 120
    /// A fix older than this waits in the backlog lane.
    public static let liveAgeSeconds: Int64 = 300
    /// Reports of the backlog that enter `in/p` in one turn.
    public static let backlogPerTurn = 256
    /// Reports of a device that enter `in/p` in one record.
    public static let reportsPerRecord = 256
    /// What reports change in the row of their device is written once in so long …
    public static let deviceRowSeconds: Int64 = 600
    /// … and so many rows in one turn.
    public static let deviceRowsPerTurn = 64
    /// Reports that may wait in the backlog; more are answered 503 until there is room.
    public static let waitingReports = 100_000
    /// Body of a phone's message.
    public static let phoneBodyBytes = 8 << 20
    /// … and of one of OwnTracks: iOS sends a photo along, and deletes what is refused.
    public static let ownTracksBodyBytes = 24 << 20
    /// Reports in one request; more are refused, saying so.
    public static let reportsInRequest = JagaReports.reportsMax
    /// People in one request that records looks at them.
    public static let accessRecordsMax = 1000

    /// Work on configuration in one turn: a thing compared, a record appended and a zone of either
    /// are one each. One record always goes, however large.
    public static let placementWorkPerTurn = 2000
    /// Bytes of the zones of one page of a set, so that its record stays below 1 MiB; zones beyond
    /// are left out, and that is a trouble.
    public static let placedPageBytesMax = 1_000_000

    /// Messages of an MQTT broker in one turn.
    public static let messagesPerTurn = 256
    /// A message that fails so often, and nothing else with it, is dropped.
    public static let messageTriesMax = 3
    public static let messagesFailedRemembered = 1000
    /// What a broker kept for whoever subscribes is no call for help when it is older than this.
    public static let retainedPanicSeconds: Int64 = 86_400
    /// A phone is told the very same of a friend again after so long.
    public static let friendToldAgainSeconds: Int64 = 600
    public static let friendsToldRemembered = 100_000
    /// A broker has to wait for so long when the backlog is full …
    public static let overloadPauseSeconds: Int64 = 30
    /// … and while it is not known yet whose a message is.
    public static let directoryAwaitedSeconds: Int64 = 2
    /// A broker that is away for so long is for somebody to look at.
    public static let brokerAwaySeconds: Int64 = 60
    /// Topics of no device that the operator is shown.
    public static let unknownTopicsShown = 50
    /// A topic of no known device waits so long for a directory that fell behind.
    public static let directoryBehindSeconds: Int64 = 60
    /// Messages left with the broker that are known again.
    public static let messagesLeftRemembered = 2000

    /// Bytes of what is put aside of one device, or of a person without one; the oldest go, but
    /// never the one that came last.
    public static let quarantineBytesPerSender: Int64 = 4 << 20
    /// What a payload takes beside itself.
    public static let quarantineRowBytes: Int64 = 256
    /// Zones offered by a person's phones that wait; the oldest go.
    public static let offersPerPerson = 100
    /// A phone that has had a friend's face is not sent it again for so long.
    public static let faceSeconds: Int64 = 3600
    /// That a phone has another key is told at most once in this time.
    public static let illegibleSeconds: Int64 = 86_400
    /// A viewer asks for a person's position once in so long.
    public static let locateSeconds: Int64 = 60
    /// A phone is asked for its position for so long; then nobody waits any more.
    public static let locateWaitSeconds: Int64 = 600
    /// … and told so once in so long.
    public static let locateAgainSeconds: Int64 = 30
    /// Who asked when, before those long ago are forgotten.
    static let locatesRemembered = 10_000
    /// Bytes kept of one payload.
    public static let quarantinePayloadBytes = phoneBodyBytes
    /// Parts of one request that are kept one by one; where more are of no use, it is kept whole.
    public static let quarantinePerRequest = 10

    /// Rows of the diary of one device; the oldest go.
    public static let diaryRowsPerDevice = 200
    /// Older ones go, too.
    public static let diarySeconds: Int64 = 7 * 86_400
    /// Requests that brought nothing, alike and one after the other, are one row for so long.
    public static let diaryFoldSeconds: Int64 = 3600
    /// Rows of the diary that are forgotten in one turn.
    public static let diaryForgottenPerTurn: Int64 = 500
    /// Entries of the diary in one page.
    public static let diaryPageMax = 200
    /// Entries of a page of any other list.
    public static let pageMax = 1000
    /// Reports looked through for one page.
    public static let diaryReportsPerPageMax = 4000
    /// So many reports in one call count as a call more.
    public static let gateReportsPerCall = 20
    /// … and so do so many bytes.
    public static let gateBytesPerCall = 64 << 10
    /// Answers to alarms and "I am all right" of one device, or of one person without a device.
    public static let answersPerMinute: Int64 = 60

    /// A device whose secret was replaced is told "later" for so long, not that it is unknown …
    public static let replacedSecretSeconds: Int64 = 3600
    /// … its calls for help are heard, so many at once and one a minute whatever limits say …
    public static let replacedSecretCallsFree: Int64 = 10
    /// … as far as so many are remembered.
    public static let replacedSecretsMax = 10_000

    /// Calls for help of one person that could not be processed and wait; further ones say nothing
    /// new.
    public static let keptCallsOfPerson = 20
    /// Bytes kept of the body of such a call.
    public static let keptCallBytes = 1 << 20
    /// One that was raised at a further try is kept for the operator for so long.
    public static let keptCallSeconds: Int64 = 7 * 86_400

    /// Countdown of an emergency where the call does not say.
    public static let countdownSeconds = 10
    public static let countdownSecondsMax = 120
    /// A panic raised longer ago than this has no countdown.
    public static let latePanicSeconds: Int64 = 300
    /// A call without an id that says the very same within so long after the first is that one.
    public static let callRepeatedSeconds: Int64 = 30
    /// … and so it is within so long where its emergency goes on and nobody has taken it: apps that
    /// wait for an answer in vain send it again after 30 s, and once more.
    public static let callRetriedSeconds: Int64 = 95
    /// So many calls of a person in one emergency are always stored, published and notified …
    public static let callsAlwaysStored = 3
    /// … further ones within this time after a stored one join it as a count.
    public static let callsJoinSeconds: Int64 = 30
    /// When so many calls of a person were stored within this time, none of them can be cancelled.
    public static let callsBeforeCancelPause = 10
    public static let cancelPauseSeconds: Int64 = 60
    /// A secret that was replaced opens one emergency within this time.
    public static let replacedSecretOpensSeconds: Int64 = 3600
    /// So many of a person's calls are compared with it, the newest: each costs a hash.
    static let receiptsPerPerson = 16
    /// Characters of the note of an emergency; the rest is cut off.
    public static let noteCharacters = 500
    /// Ended emergencies are kept this long, and so are the ids of events already applied.
    public static let memoryDays: Int64 = 30

    /// Decisions about zones are kept for so long.
    public static let decisionSeconds: Int64 = 7 * 86_400
    /// Rows of any kind that are forgotten in one turn …
    public static let rowsForgottenPerTurn = 500
    /// … and devices, or people, that are looked at for it.
    public static let looksPerTurn = 64
    /// Where the timer's clock is farther ahead of ours than this, nothing is forgotten.
    public static let clocksApartSeconds: Int64 = 86_400
    /// Journeys that are forgotten in one turn.
    public static let journeysForgottenPerTurn = 10
    /// What is erased is looked for again for so long after everything was found: what others told
    /// of somebody before they heard of it.
    public static let erasedAgainSeconds: Int64 = 48 * 3600
    /// Rows of decisions looked through for one page of a list.
    public static let decisionsPerPageMax = 2000
    /// A zone smaller than this is not named to others while its person shares zones only.
    public static let namedZoneInradiusCentimetresMin: Int32 = 10_000

    /// Journeys of one person, of which one is open; another is refused until one is deleted.
    public static let journeysPerPersonMax = 1000
    /// Fixes that fall into one journey; more do not.
    public static let journeyFixesMax = 1_000_000
    /// A fix closer to the last one kept is none of the journey.
    public static let journeyThinningMetres = 3.0
    /// Who gets farther than this is on the way; who does not for long has forgotten to stop.
    public static let journeyMovedMetres = 200.0
    /// Whoever does not get farther than this from a place …
    public static let journeyStopMetres = 50.0
    /// … for so long has stopped there.
    public static let journeyStopSeconds: Int64 = 300
    /// Stops of a journey that are named; all are counted.
    public static let journeyStopsShown = 500
    /// Fixes of journeys that are deleted in one turn.
    public static let journeyFixesForgottenPerTurn = 5000
    /// Fixes that one reader of a journey gets at a time …
    public static let journeyFixesPerPortion = 2000
    /// … and portions in one turn.
    public static let journeyPortionsPerTurn = 4
    /// Who has so many bytes still to take gets no more meanwhile.
    public static let journeyUnsentBytesMax = 512 << 10
    /// Journeys read at a time; more are answered 503.
    public static let journeyReadersMax = 64
    /// … of them exports of everything about a person …
    public static let exportsMax = 4
    /// … and replays.
    public static let journeyReplaysMax = 16
    /// Speeds of a replay, as factors.
    public static let replaySpeeds = 0.1...1_000_000
    /// In a replay nothing happens for no longer than this.
    public static let replayPauseSeconds: Int64 = 10
    /// A journey may be simplified by so many metres at most.
    public static let journeyToleranceMetresMax = 100_000.0
    /// Notes and photos of one journey, characters of a note and of a name.
    public static let journeyNotesMax = 1000
    public static let journeyPhotosMax = 200
    public static let journeyNoteCharacters = 2000
    public static let journeyNameCharacters = 100
    /// Body of a request that brings a photo.
    public static let journeyPhotoBytes = 5 << 20
    /// Bytes of all photos of a person: one account must not fill everybody's disk.
    public static let photoBytesOfPerson = 512 << 20
    /// Files of photos that are removed in one turn.
    public static let journeyPhotosRemovedPerTurn = 20
    /// Points that are simplified at a time, which bounds the work.
    public static let journeySimplifyBlock = 512

    /// In event mode a phone reports so often, also standing still.
    public static let eventIntervalSeconds: Int32 = 60
    /// In event mode silence beyond this is remarkable.
    public static let eventMaxSilenceSeconds: Int32 = 180

    /// Who was away for longer has missed something: silence meanwhile does not count.
    public static let deafSecondsMin: Int64 = 10
    /// Without a record, that this ingest receives is written down so often.
    public static let hearingSeconds: Int64 = 60
    /// So many devices that fall silent within this time are the suite's own deafness.
    public static let suspicionSeconds: Int64 = 600
    /// That is, more than this part of those that would be missed, percent.
    public static let suspicionPercent = 20
    /// And at least so many.
    public static let suspicionDevicesMin = 5
    /// Where no further one has fallen silent for so long, they are silent themselves.
    public static let suspicionSecondsMax: Int64 = 3600

    /// A last position older than this is `old`.
    public static let freshSeconds: Int64 = 1800
    /// Slower than this is standing still.
    public static let movingCentimetresPerSecond: Int32 = 60
    /// Two fixes farther apart than this do not say whether their phone moves now.
    public static let movingGapSeconds: Int64 = 600
    /// How exact a fix is that does not say so.
    public static let accuracyCentimetresAssumed: Int32 = 5000
    /// Version of the logic by which evaluators decide as long as none is written down.
    public static let logicVersion: UInt16 = 1
    /// The newest version that the logs go over to, whatever evaluators say that they can run: that
    /// of the evaluator of this release.
    public static let logicNewest: UInt16 = 1

    /// An evaluator that is not heard for longer than this is gone.
    public static let memberSeconds: Int64 = 3
    /// After a start evaluators have so long to say what they own.
    public static let settleSeconds: Int64 = 2
    /// Of the time that a coordinator was away nobody is charged with more than this.
    public static let coordinatorPauseSeconds: Int64 = 1
    /// No member was ever given a higher epoch: who claims one says nothing. Those that are given
    /// count up from milliseconds since 1970.
    public static let epochMax: UInt64 = 1 << 62
    /// A partition with something to compute that nobody computes is a trouble after this.
    public static let unownedSeconds: Int64 = 5

    /// Checkpoints kept of each partition.
    public static let checkpointsKept = 2
    /// One that somebody came to the end of the log with is kept beside newer ones that nobody did
    /// that with yet, but not longer than this: so long the log is kept, too.
    public static let provenSeconds: Int64 = 3600
    /// Who cannot compute a partition gets it again after so long, and who was too slow for it; a
    /// checkpoint that led to nothing is given out again.
    public static let failedSeconds: Int64 = 600
    /// A partition that its owner has read for so long without an end goes to another, if somebody
    /// is there who has nothing else to read; and it is a trouble.
    public static let restoringSeconds: Int64 = 60
    /// Records that no checkpoint includes for so long are a trouble: none can be pruned.
    public static let uncheckpointedSeconds: Int64 = 900
    /// Members at a time, more than there are partitions to share; others are not heard.
    public static let membersMax = 80
    /// A partition whose owner is live and evaluates nothing for so long, although records wait, is
    /// unhealthy, …
    public static let idleUnhealthySeconds: Int64 = 5
    /// … and after this its owner is revoked, as it is when it leaves an emergency unanswered.
    public static let idleRevokedSeconds: Int64 = 10
    /// How long a revoked member, and each member that joins meanwhile, gets no partition that
    /// another member can own.
    public static let distrustSeconds: Int64 = 600
    /// Connections whose requests about ownership are counted apart.
    public static let askersMax = 256
    /// Requests about ownership, checkpoints apart, of one connection in a second.
    public static let ownershipRequestsPerSecond = 25
    /// Pieces of checkpoints of one connection in a second.
    public static let piecesPerSecond = 256
    /// Members that may join at once; each second one more may join.
    public static let joinsAtOnce = 64
    /// Records between two checkpoints that a new owner reads for the sake of comparing.
    public static let auditRecords: UInt64 = 2000
    /// Of a checkpoint's pieces nothing is kept when none has come for so long.
    public static let pieceSeconds: Int64 = 30
    /// Whoever sends pieces was heard within this time.
    public static let pieceSilenceSeconds: Int64 = 5
    /// Bytes of checkpoints that are put together at a time, all together; beyond, the pieces of
    /// whoever was silent longest are dropped.
    public static let pieceBytesMax = 64 << 20
}
