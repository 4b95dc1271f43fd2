import Runtime

/// The metrics of an evaluator.
struct Counts {
    let fixes: Counter
    let records: Counter
    let outputs: Counter
    let seconds: Counter
    let begun: Counter
    let kept: Counter
    let refused: Counter
    let mismatches: Counter
    let partitions: Gauge
    let unreadable: Gauge

    init(_ metrics: Metrics) {
        fixes = metrics.counter("jaga_evaluator_fixes_total", "Reports evaluated.")
        records = metrics.counter("jaga_evaluator_records_total", "Records of in/p read.")
        outputs = metrics.counter("jaga_evaluator_outputs_total", "Events decided.")
        seconds = metrics.counter("jaga_evaluator_seconds_total", "Time spent deciding.")
        begun = metrics.counter(
            "jaga_evaluator_begins_total", "Partitions begun, from a checkpoint or from nothing.")
        kept = metrics.counter(
            "jaga_evaluator_checkpoints_total", "Checkpoints that ingest has kept.")
        refused = metrics.counter(
            "jaga_evaluator_checkpoints_refused_total", "Checkpoints that ingest has refused.")
        mismatches = metrics.counter(
            "jaga_evaluator_state_mismatches_total",
            "States that differ from what another owner had at the same record.")
        partitions = metrics.gauge("jaga_evaluator_partitions", "Partitions owned.")
        unreadable = metrics.gauge(
            "jaga_evaluator_unreadable_zones", "Zones whose geometry has an unknown format.")
    }
}
