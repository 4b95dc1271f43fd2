import Dialects

/// Limits and default values of ingest. Durations are in seconds.
public enum Limits {
    /// Positions in an answer by SMS.
    public static let answeredPositionsMax = 8
    /// A question by SMS that is older is not answered.
    static let positionQuestionAgeMax = Duration.seconds(300)

    /// A fix farther in the future gets its time of arrival and is marked `clockSkew`.
    public static let futureSeconds: Int64 = 120
    /// A fix older than this goes to the backlog.
    public static let liveAgeSeconds: Int64 = 300
    /// Reports of the backlog that enter `in/p` in one turn.
    public static let backlogReportsPerTurn = 256
    /// Reports of a device in one record of `in/p`.
    public static let reportsPerRecord = 256
    /// Interval in which changes of a device's row by reports are written …
    public static let deviceRowSeconds: Int64 = 600
    /// … and rows written per turn.
    public static let deviceRowsPerTurn = 64
    /// Reports in the backlog; more are answered 503 until there is room.
    public static let backlogReportsMax = 100_000
    /// Body of a phone's message, bytes.
    public static let phoneBodyBytes = PhoneProtocol.batchBodyBytesMax
    /// Body of an OwnTracks message, bytes: iOS attaches a photo, and deletes a rejected message.
    public static let ownTracksBodyBytes = PhoneProtocol.photoBodyBytesMax
    /// Reports in one request; more are rejected.
    public static let reportsInRequest = JagaReports.reportsMax
    /// People in one request that records accesses.
    public static let accessRecordsMax = 1000

    /// Units of configuration work in one turn: a compared object, an appended record and a zone of
    /// either are one each. One record always fits, however large.
    public static let configurationWorkPerTurn = 2000
    /// Bytes of the zones of one page of a set, so that its record stays below 1 MiB. Further zones
    /// are omitted, which is a health problem.
    public static let configuredPageBytesMax = 1_000_000

    /// Messages of an MQTT broker in one turn.
    public static let messagesPerTurn = 256
    /// A message that fails this often on its own is dropped.
    public static let messageTriesMax = 3
    public static let messagesFailedMax = 1000
    /// A retained message older than this is not a call for help.
    public static let retainedPanicSeconds: Int64 = 86_400
    /// Interval in which unchanged data of a friend is sent to a phone again.
    public static let friendRepeatSeconds: Int64 = 600
    public static let friendsSentRemembered = 100_000
    /// Pause of a broker when the backlog is full …
    public static let overloadPauseSeconds: Int64 = 30
    /// … and while the owner of a topic is unknown because the directory is loading.
    public static let directoryWaitSeconds: Int64 = 2
    /// A broker connection that is down for this long is a health problem.
    public static let brokerAwaySeconds: Int64 = 60
    /// Unknown topics shown to the operator.
    public static let unknownTopicsShown = 50
    /// How long an unknown topic waits for a directory that lags behind.
    public static let directoryBehindSeconds: Int64 = 60
    /// Unacknowledged messages that are recognized when the broker sends them again.
    public static let messagesLeftMax = 2000

    /// Bytes in quarantine per device, or per person without one; the oldest are deleted, but never
    /// the newest.
    public static let quarantineBytesPerSender: Int64 = 4 << 20
    /// Bytes counted for a quarantined payload in addition to its content.
    public static let quarantineRowBytes: Int64 = 256
    /// Zone suggestions per person; the oldest are deleted.
    public static let suggestionsPerPerson = 100
    /// Interval in which a friend's avatar is sent to a phone again.
    public static let avatarSeconds: Int64 = 3600
    /// Interval in which a wrong encryption key of a phone is reported again.
    public static let wrongKeySeconds: Int64 = 86_400
    /// Interval between location requests of a viewer for a person.
    public static let locateSeconds: Int64 = 60
    /// A location request expires after this …
    public static let locateWaitSeconds: Int64 = 600
    /// … and is repeated in this interval.
    public static let locateAgainSeconds: Int64 = 30
    /// Location requests remembered before old ones are dropped.
    static let locatesMax = 10_000
    /// Stored bytes of one payload.
    public static let quarantinePayloadBytes = phoneBodyBytes
    /// Rejected parts stored one by one; with more, the request is stored whole.
    public static let quarantinePerRequest = 10

    /// Rows of the device log per device; the oldest are deleted.
    public static let deviceLogRowsPerDevice = 200
    /// Rows older than this are deleted.
    public static let deviceLogSeconds: Int64 = 7 * 86_400
    /// Consecutive equal requests without reports share one row for this long.
    public static let deviceLogFoldSeconds: Int64 = 3600
    /// Rows of the device log deleted in one turn.
    public static let deviceLogForgottenPerTurn: Int64 = 500
    /// Entries in one page of the device log.
    public static let deviceLogPageMax = 200
    /// Entries in one page of any other list.
    public static let pageMax = 1000
    /// Reports scanned for one page of the device log.
    public static let deviceLogReportsPerPageMax = 4000
    /// This many reports count as one more request …
    public static let reportsPerRequestUnit = 20
    /// … and so do this many bytes.
    public static let bytesPerRequestUnit = 64 << 10
    /// Alarm answers and check-ins per minute of one device, or of one person without a device.
    public static let answersPerMinute: Int64 = 60

    /// How long a device with a replaced secret is asked to retry later instead of 401 …
    public static let replacedSecretSeconds: Int64 = 3600
    /// … its calls for help that always pass at once; then one per minute …
    public static let replacedSecretCallsFree: Int64 = 10
    /// … and replaced secrets remembered.
    public static let replacedSecretsMax = 10_000

    /// Stored unprocessed calls for help per person; further ones contain nothing new.
    public static let deferredCallsPerPerson = 20
    /// Stored bytes of the body of such a call.
    public static let deferredCallBytes = 1 << 20
    /// How long a call that was processed later is kept for the operator.
    public static let deferredCallSeconds: Int64 = 7 * 86_400

    /// Countdown of an emergency if the call has none.
    public static let countdownSeconds = 10
    public static let countdownSecondsMax = 120
    /// A panic raised longer ago than this has no countdown.
    public static let latePanicSeconds: Int64 = 300
    /// A call without an id and with the same content within this time is the same call …
    public static let callRepeatedSeconds: Int64 = 30
    /// … and within this time if its emergency is open and not acknowledged: apps without a
    /// response send it again after 30 s, and once more.
    public static let callRetriedSeconds: Int64 = 95
    /// Calls of a person in one emergency that are always stored, published and notified …
    public static let callsAlwaysStored = 3
    /// … further ones within this time after a stored one only increase a count.
    public static let callsJoinSeconds: Int64 = 30
    /// Looks of its recipients stay hidden so long after an emergency under duress ended.
    public static let covertLooksHiddenSeconds: Int64 = 86_400
    /// After this many stored calls of a person within this time none can be cancelled.
    public static let callsBeforeCancelPause = 10
    public static let cancelPauseSeconds: Int64 = 60
    /// A replaced secret opens at most one emergency in this time.
    public static let replacedSecretOpensSeconds: Int64 = 3600
    /// Newest calls of a person that a new one is compared with; each costs a hash.
    static let receiptsPerPerson = 16
    /// Characters of the note of an emergency; the rest is cut off.
    public static let noteCharacters = 500
    /// How long ended emergencies and ids of applied events are kept.
    public static let memoryDays: Int64 = 30

    /// How long decisions about zones are kept.
    public static let decisionSeconds: Int64 = 7 * 86_400
    /// Rows of any kind deleted in one turn …
    public static let rowsForgottenPerTurn = 500
    /// … and devices or people checked for it.
    public static let lookupsPerTurn = 64
    /// Nothing is deleted if the timer's clock is farther ahead than this.
    public static let clocksApartSeconds: Int64 = 86_400
    /// How long an erasure is repeated after everything was found, because other services may send
    /// older data.
    public static let erasedAgainSeconds: Int64 = 48 * 3600
    /// Decisions scanned for one page of a list.
    public static let decisionsPerPageMax = 2000

    /// Reporting interval in event mode, also standing still.
    public static let eventIntervalSeconds: Int32 = 60
    /// Contact timeout in event mode.
    public static let eventContactTimeoutSeconds: Int32 = 180

    /// A shorter downtime is not an intake outage.
    public static let intakeOutageSecondsMin: Int64 = 10
    /// Interval in which ingest records that it receives, if there is no record.
    public static let aliveSeconds: Int64 = 60
    /// Devices that lose contact together within this time indicate an intake outage …
    public static let outageWindowSeconds: Int64 = 600
    /// … if they are more than this percentage of the devices with a contact expectation …
    public static let outagePercent = 20
    /// … and at least this many.
    public static let outageDevicesMin = 5
    /// Without a further contact loss for this long, the hold ends.
    public static let outageHoldSecondsMax: Int64 = 3600

    /// A last position older than this is `old`.
    public static let freshSeconds: Int64 = 1800
    /// The position of a person in an emergency is published at most this often; close fixes of a
    /// trail are one.
    public static let followedPositionSeconds: Int64 = 10
    /// The trail that is published when an emergency opens.
    public static let trailSeconds: Int64 = 1800
    /// Reports read for a trail; of more, the newest.
    public static let trailReportsMax = 2000
    /// People whose live positions are updated in one turn because time has passed.
    public static let followedPerTurn = 256
    /// A slower device counts as stationary.
    public static let movingCentimetresPerSecond: Int32 = 60
    /// Two fixes farther apart do not tell whether the device moves now.
    public static let movingGapSeconds: Int64 = 600
    /// Accuracy of a fix that has none.
    public static let accuracyCentimetresAssumed: Int32 = 5000
    /// Version of the logic in force while none is recorded.
    public static let logicVersion: UInt16 = 1
    /// The newest version that logs switch to, whatever evaluators can run: that of this release.
    public static let logicNewest: UInt16 = 1

    /// An evaluator without contact for longer than this is gone.
    public static let memberSeconds: Int64 = 3
    /// How long evaluators have after a start to claim their partitions.
    public static let settleSeconds: Int64 = 2
    /// Upper bound of the coordinator's own downtime that counts as missed contact of members.
    public static let coordinatorPauseSeconds: Int64 = 1
    /// No member was ever assigned a higher epoch, so such a claim is ignored. Assigned epochs
    /// count up from milliseconds since 1970.
    public static let epochMax: UInt64 = 1 << 62
    /// Records that nobody evaluates for this long make a partition unhealthy.
    public static let unownedSeconds: Int64 = 5

    /// Checkpoints kept per partition.
    public static let checkpointsKept = 2
    /// How long a proven checkpoint, and the log since, is kept beside newer unproven ones.
    public static let provenSeconds: Int64 = 3600
    /// How long a member does not get a partition again that it failed or was too slow for, and a
    /// failed checkpoint is not used.
    public static let failedSeconds: Int64 = 600
    /// A partition that its owner restores for longer than this moves to an idle member, if there
    /// is one, and is unhealthy.
    public static let restoringSeconds: Int64 = 60
    /// Records that no checkpoint includes for this long make a partition unhealthy: they cannot be
    /// pruned.
    public static let uncheckpointedSeconds: Int64 = 900
    /// Members at a time, more than there are partitions; others are ignored.
    public static let membersMax = 80
    /// A partition with a live owner that evaluates nothing for this long although records wait is
    /// unhealthy …
    public static let idleUnhealthySeconds: Int64 = 5
    /// … and after this its owner is revoked, as when it leaves an emergency unanswered.
    public static let idleRevokedSeconds: Int64 = 10
    /// How long a revoked member, and each member that joins meanwhile, gets no partition that
    /// another member can own.
    public static let distrustSeconds: Int64 = 600
    /// Connections with their own limit of ownership requests.
    public static let askersMax = 256
    /// Ownership requests per second and connection, not counting checkpoints.
    public static let ownershipRequestsPerSecond = 25
    /// Pieces of checkpoints per second and connection.
    public static let piecesPerSecond = 256
    /// Members that may join at once; then one per second.
    public static let joinsAtOnce = 64
    /// Maximum records between two checkpoints that a new owner compares.
    public static let auditRecords: UInt64 = 2000
    /// Pieces of a checkpoint are dropped if none arrived for this long.
    public static let pieceSeconds: Int64 = 30
    /// A sender of pieces without contact for this long counts as gone.
    public static let pieceContactSeconds: Int64 = 5
    /// Bytes of all incomplete checkpoints; beyond, the pieces of the sender with the oldest
    /// contact are dropped.
    public static let pieceBytesMax = 64 << 20
}
