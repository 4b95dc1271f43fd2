import Wire

/// Sizes, counts and intervals of the bus.
enum BusLimits {
    // Publishing.
    /// Interval of published heads.
    static let headsInterval = Duration.milliseconds(250)
    /// Bytes of replayed records per turn.
    static let replayBytesPerTurn = 1 << 20
    /// Queued requests per consumer; further ones are dropped, and the consumer repeats them.
    static let requestsMax = 1024
    /// How long an unused snapshot is retained.
    static let snapshotRetention = Duration.seconds(10)
    /// Rows in one chunk of a snapshot.
    static let snapshotRowsMax = 4096
    /// Minimum interval between writes of acknowledgements to the store.
    static let acknowledgementsStoreInterval = Duration.seconds(1)

    /// Records pruned in one turn, and their bytes: about a millisecond of work …
    static let prunedRecordsPerTurn = 500
    static let prunedBytesPerTurn = 1 << 20
    /// … followed by this pause.
    static let prunePause = Duration.milliseconds(10)
    /// Interval of checks for records to prune …
    static let pruneInterval = Duration.seconds(1)
    /// … and for consumers that hold records back; the first one after consumers had time to
    /// acknowledge.
    static let holdbackInterval = Duration.seconds(10)
    static let holdbackDelay = Duration.seconds(60)
    /// How long pruning pauses after a turn was rolled back.
    static let prunePauseAfterRollback = Duration.seconds(5)
    /// The maximum number of consumers without a requirement whose positions are stored.
    static let optionalConsumersMax = 256
    /// How long the position of such a consumer is stored without an acknowledgement.
    static let consumerRetention = Duration.seconds(86_400)

    // Connections.
    /// Connections to one bound socket above which further ones of roles with several processes
    /// (``BusRole/hasSeveralProcesses``) are rejected. Those of the services always find room.
    static let connectionsMax = 256
    /// Largest frame that a bound socket receives; a longer one ends the connection before it is in
    /// memory. Above ``WireLimits/frameBytesMax``, so that slightly longer ones are counted.
    static let boundFrameBytesMax = 2 << 20

    // Receiving.
    /// Bounds of a socket's receive queue; nil for sockets within the process.
    static func receiveLimits(for kind: ZeroMQSocket.Kind) -> ReceiveQueue.Limits? {
        switch kind {
        case .publish, .pair, .reply: nil
        // At most what one publisher sends at once.
        case .subscribe, .dealer:
            .init(messagesPerSender: 10_000, bytesPerSender: 32 << 20, bytes: 64 << 20)
        case .router:
            .init(messagesPerSender: requestsMax, bytesPerSender: 4 << 20, bytes: 64 << 20)
        }
    }
    /// Messages read from one socket before the next one.
    static let drainedMessagesMax = 4096
    /// Frames of one message: the request, its sender, and the delimiter of a REQ socket.
    static let messageFramesMax = 7
    /// The longest subscription or handshake command.
    static let subscriptionBytesMax = 4096

    // Consumer.
    /// Frames received in one turn.
    static let framesPerTurn = 512
    /// Bytes of waiting records per stream; further live records are dropped and replayed later.
    static let queuedBytesMax = 512 << 10
    /// Bytes of records per stream that were received out of order.
    static let earlyBytesMax = 256 << 10
    /// Records applied of one stream before the next one.
    static let quantum = 256
    /// How long a request waits for its reply before it is repeated.
    static let replyTimeout = Duration.seconds(2)
    /// Minimum interval of `HELLO` per peer.
    static let helloInterval = Duration.milliseconds(250)
    /// Interval of acknowledgements …
    static let acknowledgeInterval = Duration.milliseconds(300)
    /// … or after this number of records.
    static let acknowledgeRecords = 1000
    /// Interval at which unchanged positions are acknowledged again, since the publisher may have
    /// lost them.
    static let acknowledgeAllInterval = Duration.seconds(30)

    // Leases of partitions.
    /// Interval of `RENEW` …
    static let renewInterval = Duration.seconds(1)
    /// … and the minimum interval if something changed.
    static let renewPause = Duration.milliseconds(100)
    /// Pause after a snapshot that could not be applied; doubles each time …
    static let snapshotPauseMin = Duration.seconds(1)
    /// … up to this maximum.
    static let snapshotPauseMax = Duration.seconds(60)
    /// How long a checkpoint waits for its outputs to be accepted before it is dropped.
    static let checkpointWait = Duration.seconds(5)
    /// Snapshots read at the same time.
    static let snapshotsAtOnce = 8

    // TCP connections that carry nothing any more.
    /// How long sent bytes wait for their acknowledgement by the other kernel, milliseconds; then
    /// the connection ends.
    static let unacknowledgedMilliseconds: Int32 = 1500
    /// Seconds without traffic before a keepalive probe, and between probes …
    static let keepaliveSeconds: Int32 = 1
    /// … and unanswered probes after which the connection ends.
    static let keepaliveProbes: Int32 = 2

    // Contact with a publisher, by the time since its last frame.
    /// After this time it is asked for heads.
    static let idleBeforeHeadsRequest = Duration.milliseconds(750)
    /// After this time its connections are replaced.
    static let idleBeforeReconnect = Duration.milliseconds(1500)
    /// After this time it is a health problem.
    static let idleBeforeUnhealthy = Duration.seconds(10)

    // Faults of peers.
    /// Clock skew above this is reported: deadlines cross processes …
    static let skewMax = Duration.seconds(5)
    /// … if all frames for this long agree, since single frames may have waited.
    static let skewDetection = Duration.seconds(5)

    // Derived streams.
    /// Bytes of unaccepted records per stream; above, no further inputs are applied.
    static let unacknowledgedBytesMax = 2 << 20
    /// Bytes of unaccepted records that are sent; the others wait.
    static let proposedBytesMax = 1 << 20
    /// How often a stream is derived again because of differences …
    static let restartsMax = 3
    /// … within this time, if it was assigned.
    static let restartsWindow = Duration.seconds(600)
    /// Bytes of waiting proposals per stream at the publisher; a single one may be longer …
    static let proposalBytesMax = 2 << 20
    /// … and of proposals read in one turn for all streams. Further ones are repeated.
    static let proposalBytesPerTurn = 8 << 20
    /// How long unaccepted records wait before they are proposed again.
    static let proposalWait = Duration.milliseconds(500)

    // Rejected frames and peers.
    /// Interval of notices about repeated rejections of one peer and reason.
    static let rejectionNoticeInterval = Duration.seconds(60)
    /// The maximum number of peers and reasons that are counted separately.
    static let rejectionKindsMax = 256
    /// Interval of reconnects while some connections to a peer are rejected.
    static let brokenReconnectInterval = Duration.seconds(5)
    /// Interrupted handshakes in a row that are ignored.
    static let interruptedHandshakesMax = 5
}
