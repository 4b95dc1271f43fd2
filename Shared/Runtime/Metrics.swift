import Model

/// The type of a metric family.
enum MetricKind: String {
    case counter, gauge, histogram
}

/// Metrics of a process in the text format of Prometheus.
///
/// A family is declared once with its labels; declaring it again returns the same family. Names end
/// in their base unit: `_seconds`, `_bytes`, `_metres`; counters end in `_total`.
///
/// ```swift
/// let reports = metrics.counter("jaga_ingest_reports_total", "Reports by outcome.", "outcome")
/// reports.add(1, "accepted")
/// ```
public final class Metrics {
    private var families: [String: any MetricFamily] = [:]

    public init() {}

    /// Declares a counter. Without labels it is 0 from the start.
    public func counter(_ name: String, _ help: String, _ labels: String...) -> Counter {
        declare(name, .counter) { Counter(MetricHead(name, .counter, help, labels)) }
    }

    /// Declares a gauge. Without labels it is 0 from the start.
    public func gauge(_ name: String, _ help: String, _ labels: String...) -> Gauge {
        declare(name, .gauge) { Gauge(MetricHead(name, .gauge, help, labels)) }
    }

    /// Declares a histogram.
    ///
    /// - Parameter buckets: upper bounds, ascending, without infinity
    public func histogram(
        _ name: String, _ help: String, buckets: [Double], _ labels: String...
    ) -> Histogram {
        declare(name, .histogram) {
            Histogram(MetricHead(name, .histogram, help, labels), buckets: buckets)
        }
    }

    /// Renders all families by name, for `text/plain; version=0.0.4`.
    public func render() -> String {
        var out = ""
        for (_, family) in families.sorted(by: { $0.key < $1.key }) {
            family.head.write(to: &out)
            family.write(to: &out)
        }
        return out
    }

    private func declare<Family: MetricFamily>(
        _ name: String, _ kind: MetricKind, make: () -> Family
    ) -> Family {
        if let known = families[name] {
            guard let family = known as? Family else {
                fatalError("metric \(name) was already declared with another kind")
            }
            return family
        }
        let family = make()
        families[name] = family
        return family
    }
}

/// A value that only increases.
public final class Counter: MetricFamily {
    let head: MetricHead
    private var values: [[String]: Double] = [:]

    init(_ head: MetricHead) {
        self.head = head
        if head.labels.isEmpty { values[[]] = 0 }
    }

    /// Increases the sample with the label values, given in the order of declaration.
    public func add(_ amount: Double = 1, _ labels: String...) {
        invariant(amount >= 0, "counter \(head.name) cannot decrease")
        head.check(labels)
        values[labels, default: 0] += amount
    }

    /// Sets a total that is counted elsewhere.
    public func set(_ total: Double, _ labels: String...) {
        head.check(labels)
        values[labels] = total
    }

    func write(to out: inout String) {
        for (labels, value) in ordered(values) {
            head.sample("", labels, value, to: &out)
        }
    }
}

/// A value that increases and decreases.
public final class Gauge: MetricFamily {
    let head: MetricHead
    private var values: [[String]: Double] = [:]

    init(_ head: MetricHead) {
        self.head = head
        if head.labels.isEmpty { values[[]] = 0 }
    }

    /// Sets the sample with the label values, given in the order of declaration.
    public func set(_ value: Double, _ labels: String...) {
        head.check(labels)
        values[labels] = value
    }

    /// Removes all samples with labels.
    public func removeAll() { values = head.labels.isEmpty ? [[]: 0] : [:] }

    func write(to out: inout String) {
        for (labels, value) in ordered(values) {
            head.sample("", labels, value, to: &out)
        }
    }
}

/// A distribution of observations over buckets.
public final class Histogram: MetricFamily {
    private struct Distribution {
        /// One per bucket, and one for larger values.
        var counts: [Double]
        var sum = 0.0
    }

    let head: MetricHead
    private let buckets: [Double]
    private var distributions: [[String]: Distribution] = [:]

    init(_ head: MetricHead, buckets: [Double]) {
        invariant(
            zip(buckets, buckets.dropFirst()).allSatisfy { $0 < $1 },
            "buckets of \(head.name) must ascend")
        self.head = head
        self.buckets = buckets
        if head.labels.isEmpty { distributions[[]] = empty }
    }

    private var empty: Distribution {
        Distribution(counts: Array(repeating: 0, count: buckets.count + 1))
    }

    /// Records an observation for the label values, given in the order of declaration.
    public func observe(_ value: Double, _ labels: String...) {
        head.check(labels)
        let index = buckets.firstIndex { value <= $0 } ?? buckets.count
        distributions[labels, default: empty].counts[index] += 1
        distributions[labels]!.sum += value
    }

    func write(to out: inout String) {
        for (labels, distribution) in ordered(distributions) {
            var below = 0.0
            for (index, count) in distribution.counts.enumerated() {
                below += count
                let end = index < buckets.count ? MetricHead.text(buckets[index]) : "+Inf"
                head.sample("_bucket", labels, below, end: end, to: &out)
            }
            head.sample("_sum", labels, distribution.sum, to: &out)
            head.sample("_count", labels, below, to: &out)
        }
    }
}

/// A metric family that can be rendered.
protocol MetricFamily: AnyObject {
    var head: MetricHead { get }
    func write(to out: inout String)
}

/// Sorts samples by label values, so that output is deterministic.
private func ordered<Value>(_ samples: [[String]: Value]) -> [(key: [String], value: Value)] {
    samples.sorted { $0.key.lexicographicallyPrecedes($1.key) }
}
