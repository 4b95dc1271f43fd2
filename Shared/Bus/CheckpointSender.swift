import Model
import Wire

/// Sends one checkpoint to the publisher, piece by piece, as the publisher requests them.
struct CheckpointSender {
    let checkpoint: Checkpoint
    private let id: ID128
    private let member: ID128
    private let epoch: UInt64
    private var offset: UInt32 = 0
    /// When the unanswered piece was sent.
    private var sentAt: Duration?
    /// Whether any piece was sent.
    private(set) var isStarted = false
    /// Since when the first piece is waiting.
    private var waitingSince: Duration?

    init(_ checkpoint: Checkpoint, by member: ID128, epoch: UInt64) {
        self.checkpoint = checkpoint
        self.member = member
        self.epoch = epoch
        id = checkpoint.id
    }

    /// The piece to send now; nil while a reply is pending.
    func nextPiece(_ now: Duration) -> CheckpointPiece? {
        if let sentAt, now - sentAt < BusLimits.replyTimeout { return nil }
        return checkpoint.piece(id: id, from: offset, by: member, epoch: epoch)
    }

    /// Whether the first piece waited too long, so that other checkpoints should be sent.
    mutating func isOverdue(_ now: Duration) -> Bool {
        guard !isStarted else { return false }
        let since = waitingSince ?? now
        waitingSince = since
        return now - since >= BusLimits.checkpointWait
    }

    /// Records that the piece was sent.
    mutating func pieceSent(_ now: Duration) {
        sentAt = now
        isStarted = true
    }

    /// Sends the piece again: its reply is lost because the connection was replaced.
    mutating func resend() { sentAt = nil }

    /// Handles a reply. Returns the final verdict, if it is one.
    mutating func handle(_ reply: CheckpointReply) -> CheckpointVerdict? {
        guard isStarted, reply.id == id else { return nil }
        guard case .more(let next) = reply.verdict else { return reply.verdict }
        // A request for the piece that is already sent is a duplicate reply.
        if next != offset {
            offset = next
            sentAt = nil
        }
        return nil
    }
}
