import Runtime
import Wire

extension Bus {
    /// Sets what Prometheus asks for: heads, lags on either side, totals.
    public func writeMetrics(_ metrics: Metrics) {
        writeStreams(metrics)
        let totals = counters
        func total(_ name: String, _ help: String, _ value: UInt64) {
            metrics.counter("jaga_bus_\(name)_total", help).set(Double(value))
        }
        total("records_appended", "Records appended to own streams.", totals.recordsAppended)
        total("records_applied", "Records of others applied.", totals.recordsApplied)
        total("batches_published", "Batches told at once.", totals.batchesPublished)
        total("replays_asked", "Times that missing records were asked for.", totals.replaysAsked)
        total("reconnects", "Times that connections were made anew.", totals.reconnects)
        total("divergences", "Streams found to be another than before.", totals.divergences)
        let refused = metrics.counter(
            "jaga_bus_frames_refused_total", "Frames that were not taken.", "reason")
        for reason in WireError.Code.allCases {
            refused.set(Double(totals.framesRefusedByReason[reason] ?? 0), reason.rawValue)
        }
        total("peers_refused", "Peers not let in, here or there.", totals.peersRefused)
        metrics.gauge("jaga_bus_troubles", "What of the bus somebody should look at.")
            .set(Double(troubles.count))
    }

    private func writeStreams(_ metrics: Metrics) {
        let head = metrics.gauge(
            "jaga_bus_head_records", "Sequence of the last record of an own stream.", "stream")
        var heads: [StreamName: UInt64] = [:]
        for extent in self.heads where extent.head.sequence > 0 {
            heads[extent.stream] = extent.head.sequence
            head.set(Double(extent.head.sequence), extent.stream.text)
        }
        let lag = metrics.gauge(
            "jaga_bus_lag_records", "Records of a followed stream that are not applied.", "stream")
        for found in lags where found.head > 0 { lag.set(Double(found.records), found.stream.text) }
        let behind = metrics.gauge(
            "jaga_bus_consumer_lag_records", "Records that a consumer has not acknowledged.",
            "consumer", "stream")
        for known in acknowledgements {
            guard let head = heads[known.stream] else { continue }
            behind.set(
                Double(head - min(head, known.position.sequence)), known.consumer,
                known.stream.text)
        }
    }
}
