import Runtime
import Wire

extension Bus {
    /// Records stream heads, lags and totals.
    public func writeMetrics(_ metrics: Metrics) {
        writeStreams(metrics)
        let totals = counters
        func total(_ name: String, _ help: String, _ value: UInt64) {
            metrics.counter("jaga_bus_\(name)_total", help).set(Double(value))
        }
        total("records_appended", "Records appended to served streams.", totals.recordsAppended)
        total("records_applied", "Records of followed streams applied.", totals.recordsApplied)
        total("batches_published", "Batches published.", totals.batchesPublished)
        total("replays_requested", "Replay requests sent.", totals.replaysRequested)
        total("reconnects", "Reconnects to peers.", totals.reconnects)
        total("divergences", "Followed streams that were replaced or pruned.", totals.divergences)
        let rejected = metrics.counter(
            "jaga_bus_frames_rejected_total", "Frames rejected, by reason.", "reason")
        for reason in WireError.Code.allCases {
            rejected.set(Double(totals.framesRejectedByReason[reason] ?? 0), reason.rawValue)
        }
        total("peers_rejected", "Connections rejected, here or by a peer.", totals.peersRejected)
        metrics.gauge("jaga_bus_problems", "Health problems of the bus.")
            .set(Double(healthProblems.count))
    }

    private func writeStreams(_ metrics: Metrics) {
        let head = metrics.gauge(
            "jaga_bus_head_records", "Sequence of the last record of a served stream.", "stream")
        var heads: [StreamName: UInt64] = [:]
        for extent in self.heads where extent.head.sequence > 0 {
            heads[extent.stream] = extent.head.sequence
            head.set(Double(extent.head.sequence), extent.stream.text)
        }
        let lag = metrics.gauge(
            "jaga_bus_lag_records", "Records of a followed stream not yet applied.", "stream")
        for found in lags where found.head > 0 { lag.set(Double(found.records), found.stream.text) }
        let consumerLag = metrics.gauge(
            "jaga_bus_consumer_lag_records", "Records not yet acknowledged by a consumer.",
            "consumer", "stream")
        for known in acknowledgements {
            guard let head = heads[known.stream] else { continue }
            consumerLag.set(
                Double(head - min(head, known.position.sequence)), known.consumer,
                known.stream.text)
        }
    }
}
