import Wire

/// Sizes, counts and waits of the bus.
enum BusLimits {
    // Writer.
    /// All heads are told this often.
    static let headsInterval = Duration.milliseconds(250)
    /// Records read for answers in one turn, in bytes.
    static let replayBytesPerTurn = 1 << 20
    /// Questions that one consumer may have waiting; further ones are dropped, it asks again.
    static let questionsMax = 1024
    /// A snapshot that nobody asked about for so long is forgotten.
    static let snapshotKept = Duration.seconds(10)
    /// Rows of one piece of a snapshot.
    static let snapshotRowsMax = 4096
    /// Acknowledgements go to the store at most this often.
    static let acknowledgementsStored = Duration.seconds(1)

    /// Records and bytes of them that are pruned in one turn: about a millisecond of work …
    static let prunedRecords = 500
    static let prunedBytes = 1 << 20
    /// … and the pause after that.
    static let prunePause = Duration.milliseconds(10)
    /// All streams are looked at this often for something to prune …
    static let pruneInterval = Duration.seconds(1)
    /// … and for somebody who holds it back, first when all had time to say how far they are.
    static let holdbackInterval = Duration.seconds(10)
    static let holdbackFirst = Duration.seconds(60)
    /// Nothing is pruned for so long after a turn was undone.
    static let pruneAfterUndo = Duration.seconds(5)
    /// Consumers that nobody requires, by name; what others say is not kept.
    static let optionalConsumersMax = 256
    /// A consumer that nobody requires is forgotten after so long a silence.
    static let consumerKept = Duration.seconds(86_400)

    // Receiving.
    /// How much may wait of what others send; nil for sockets within the process.
    static func received(by kind: ZeroMQSocket.Kind) -> ReceiveQueue.Limits? {
        switch kind {
        case .publish, .pair, .reply: nil
        // From the keepers of streams, at the most that one sends at once.
        case .subscribe, .dealer:
            .init(messagesPerSender: 10_000, bytesPerSender: 32 << 20, bytes: 64 << 20)
        case .router:
            .init(messagesPerSender: questionsMax, bytesPerSender: 4 << 20, bytes: 64 << 20)
        }
    }
    /// Messages read of one socket before the others have their turn.
    static let drainedAtOnce = 4096
    /// Frames of one message: a request, its sender, and what the sender of REQ puts between.
    static let messageFramesMax = 7
    /// A subscription, or the longest command of a handshake.
    static let subscriptionBytesMax = 4096

    // Consumer.
    /// Frames taken from the transport in one turn.
    static let framesPerTurn = 512
    /// Records of one stream that wait for being applied, in bytes; live ones beyond are dropped
    /// and fetched later.
    static let queuedBytesMax = 512 << 10
    /// Records of one stream that came before those in front of them, in bytes.
    static let earlyBytesMax = 256 << 10
    /// Records applied of one stream before others have their turn.
    static let quantum = 256
    /// A question without answer is asked again.
    static let answerWait = Duration.seconds(2)
    /// The same stream is not greeted again before.
    static let helloPause = Duration.milliseconds(250)
    /// Positions are acknowledged this often …
    static let acknowledgeInterval = Duration.milliseconds(300)
    /// … or after so many records.
    static let acknowledgeRecords = 1000
    /// Positions that did not move are acknowledged again: a writer may have lost what it heard.
    static let acknowledgeAgain = Duration.seconds(30)

    // Ownership of partitions.
    /// A member says this often that it is there …
    static let renewInterval = Duration.seconds(1)
    /// … and sooner when it has news, but not before this.
    static let renewPause = Duration.milliseconds(100)
    /// A snapshot that could not be applied is read again after this, …
    static let snapshotPauseMin = Duration.seconds(1)
    /// … twice as long each time, but no longer than this.
    static let snapshotPauseMax = Duration.seconds(60)
    /// A checkpoint whose outputs the ledger has not taken for so long is given up for this time.
    static let checkpointWait = Duration.seconds(5)
    /// Snapshots read at once.
    static let snapshotsAtOnce = 8

    // Silence of a writer.
    /// Then it is asked whether it is there.
    static let silenceAsked = Duration.milliseconds(750)
    /// Then the connections to it are made anew.
    static let silenceReconnected = Duration.milliseconds(1500)
    /// Then it is a trouble.
    static let silenceUnhealthy = Duration.seconds(10)

    // Peers that are not as they should be.
    /// Clocks that differ by more are a trouble: due times cross processes …
    static let skewMax = Duration.seconds(5)
    /// … when everything heard for so long says so: frames may have waited.
    static let skewSettled = Duration.seconds(5)

    // Computed streams.
    /// Outputs of one stream that the ledger has not taken, in bytes; beyond, nothing that leads to
    /// more of them is applied.
    static let unacknowledgedBytesMax = 2 << 20
    /// Of these, those sent; the others wait.
    static let offeredBytesMax = 1 << 20
    /// A stream is computed anew so often because of what its keeper has …
    static let restartsMax = 3
    /// … within this time, where it came by assignment.
    static let restartsWindow = Duration.seconds(600)
    /// Proposals for one stream that wait at its keeper, in bytes; one alone may be longer …
    static let proposalBytesMax = 2 << 20
    /// … and those for all streams that are read in one turn. Further ones come again.
    static let proposalBytesPerTurn = 8 << 20
    /// Outputs that the ledger has not taken for so long are sent again.
    static let offerWait = Duration.milliseconds(500)

    // Refused frames and peers.
    /// Refusals of one peer and reason are told this often, with their number.
    static let refusalsTold = Duration.seconds(60)
    /// Peers and reasons that are counted apart.
    static let refusalsApart = 256
    /// Connections of which one was turned away are made anew this often, though others work.
    static let brokenReconnected = Duration.seconds(5)
    /// A handshake may be broken off so often in a row without a word.
    static let brokenHandshakesMax = 5
}
