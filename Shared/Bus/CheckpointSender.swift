import Model
import Wire

/// Carries one checkpoint to the keeper, piece by piece, each when the keeper wants it.
struct CheckpointSender {
    let checkpoint: Checkpoint
    private let id: ID128
    private let member: ID128
    private let epoch: UInt64
    private var offset: UInt32 = 0
    /// When the piece that has no answer yet was sent.
    private var sentAt: Duration?
    /// Whether anything of it has left.
    private(set) var hasBegun = false
    /// Since when it waits for leaving.
    private var waitingSince: Duration?

    init(_ checkpoint: Checkpoint, by member: ID128, epoch: UInt64) {
        self.checkpoint = checkpoint
        self.member = member
        self.epoch = epoch
        id = checkpoint.id
    }

    /// The piece to send now; nil while the last one may still be answered.
    func piece(_ now: Duration) -> CheckpointPiece? {
        if let sentAt, now - sentAt < BusLimits.answerWait { return nil }
        return checkpoint.piece(id: id, from: offset, by: member, epoch: epoch)
    }

    /// Whether it has waited in vain for so long that others should have their turn.
    mutating func isOverdue(_ now: Duration) -> Bool {
        guard !hasBegun else { return false }
        let since = waitingSince ?? now
        waitingSince = since
        return now - since >= BusLimits.checkpointWait
    }

    /// The piece is on its way.
    mutating func sent(_ now: Duration) {
        sentAt = now
        hasBegun = true
    }

    /// The way to the keeper is another one now: the answer, if there was one, is lost.
    mutating func sendAgain() { sentAt = nil }

    /// Takes an answer; gives the verdict that ends it.
    mutating func take(_ answer: CheckpointAnswer) -> CheckpointVerdict? {
        guard hasBegun, answer.id == id else { return nil }
        guard case .more(let next) = answer.verdict else { return answer.verdict }
        // Wanting what is on its way already, an answer came twice.
        if next != offset {
            offset = next
            sentAt = nil
        }
        return nil
    }
}
