import Runtime

/// The metrics of an evaluator.
struct EvaluatorMetrics {
    let fixes: Counter
    let records: Counter
    let outputs: Counter
    let seconds: Counter
    let starts: Counter
    let stored: Counter
    let rejected: Counter
    let mismatches: Counter
    let partitions: Gauge
    let unreadable: Gauge

    init(_ metrics: Metrics) {
        fixes = metrics.counter("jaga_evaluator_fixes_total", "Reports evaluated.")
        records = metrics.counter("jaga_evaluator_records_total", "Records of in/p handled.")
        outputs = metrics.counter("jaga_evaluator_outputs_total", "Events emitted.")
        seconds = metrics.counter("jaga_evaluator_seconds_total", "Time spent evaluating, seconds.")
        starts = metrics.counter(
            "jaga_evaluator_partition_starts_total",
            "Partitions started, from a checkpoint or from nothing.")
        stored = metrics.counter(
            "jaga_evaluator_checkpoints_total", "Checkpoints stored by ingest.")
        rejected = metrics.counter(
            "jaga_evaluator_checkpoints_rejected_total", "Checkpoints rejected by ingest.")
        mismatches = metrics.counter(
            "jaga_evaluator_state_mismatches_total",
            "States that differ from another owner's at the same record.")
        partitions = metrics.gauge("jaga_evaluator_partitions", "Partitions owned.")
        unreadable = metrics.gauge(
            "jaga_evaluator_unreadable_zones", "Zones with an unknown geometry format.")
    }
}
