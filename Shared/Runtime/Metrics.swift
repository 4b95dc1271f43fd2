import Model

/// What a family of samples measures; decides its name's ending and how it is shown.
enum MetricKind: String {
    case counter, gauge, histogram
}

/// The numbers of a process in the text format of Prometheus.
///
/// Families are declared once with the names of their labels; declaring the same again gives the
/// same family. Units are base units and end the name: `_seconds`, `_bytes`, `_metres`; counters
/// end in `_total`.
///
/// ```swift
/// let reports = metrics.counter("jaga_ingest_reports_total", "Reports by outcome.", "outcome")
/// reports.add(1, "accepted")
/// ```
public final class Metrics {
    private var families: [String: any MetricFamily] = [:]

    public init() {}

    /// A number that only grows. One without labels is shown as 0 from the start.
    public func counter(_ name: String, _ help: String, _ labels: String...) -> Counter {
        declare(name, .counter) { Counter(MetricHead(name, .counter, help, labels)) }
    }

    /// A number that goes up and down. One without labels is shown as 0 from the start.
    public func gauge(_ name: String, _ help: String, _ labels: String...) -> Gauge {
        declare(name, .gauge) { Gauge(MetricHead(name, .gauge, help, labels)) }
    }

    /// How observations are spread.
    ///
    /// - Parameter buckets: upper ends, ascending, without infinity
    public func histogram(
        _ name: String, _ help: String, buckets: [Double], _ labels: String...
    ) -> Histogram {
        declare(name, .histogram) {
            Histogram(MetricHead(name, .histogram, help, labels), buckets: buckets)
        }
    }

    /// All families by name: `# HELP`, `# TYPE` and samples, for `text/plain; version=0.0.4`.
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
                fatalError("metric \(name) was declared as another kind before")
            }
            return family
        }
        let family = make()
        families[name] = family
        return family
    }
}

/// A number that only grows.
public final class Counter: MetricFamily {
    let head: MetricHead
    private var values: [[String]: Double] = [:]

    init(_ head: MetricHead) {
        self.head = head
        if head.labels.isEmpty { values[[]] = 0 }
    }

    /// Adds to the sample with these label values, given in the order of declaration.
    public func add(_ amount: Double = 1, _ labels: String...) {
        invariant(amount >= 0, "counter \(head.name) cannot shrink")
        head.check(labels)
        values[labels, default: 0] += amount
    }

    /// Takes over a total that is counted elsewhere.
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

/// A number that goes up and down.
public final class Gauge: MetricFamily {
    let head: MetricHead
    private var values: [[String]: Double] = [:]

    init(_ head: MetricHead) {
        self.head = head
        if head.labels.isEmpty { values[[]] = 0 }
    }

    /// Sets the sample with these label values, given in the order of declaration.
    public func set(_ value: Double, _ labels: String...) {
        head.check(labels)
        values[labels] = value
    }

    /// Forgets samples whose subject is gone.
    public func removeAll() { values = head.labels.isEmpty ? [[]: 0] : [:] }

    func write(to out: inout String) {
        for (labels, value) in ordered(values) {
            head.sample("", labels, value, to: &out)
        }
    }
}

/// How observations are spread over buckets.
public final class Histogram: MetricFamily {
    private struct Spread {
        /// One for each bucket and one for what is above them.
        var counts: [Double]
        var sum = 0.0
    }

    let head: MetricHead
    private let buckets: [Double]
    private var spreads: [[String]: Spread] = [:]

    init(_ head: MetricHead, buckets: [Double]) {
        invariant(
            zip(buckets, buckets.dropFirst()).allSatisfy { $0 < $1 },
            "buckets of \(head.name) must ascend")
        self.head = head
        self.buckets = buckets
        if head.labels.isEmpty { spreads[[]] = empty }
    }

    private var empty: Spread { Spread(counts: Array(repeating: 0, count: buckets.count + 1)) }

    /// Counts one observation under these label values, given in the order of declaration.
    public func observe(_ value: Double, _ labels: String...) {
        head.check(labels)
        let place = buckets.firstIndex { value <= $0 } ?? buckets.count
        spreads[labels, default: empty].counts[place] += 1
        spreads[labels]!.sum += value
    }

    func write(to out: inout String) {
        for (labels, spread) in ordered(spreads) {
            var below = 0.0
            for (index, count) in spread.counts.enumerated() {
                below += count
                let end = index < buckets.count ? MetricHead.text(buckets[index]) : "+Inf"
                head.sample("_bucket", labels, below, end: end, to: &out)
            }
            head.sample("_sum", labels, spread.sum, to: &out)
            head.sample("_count", labels, below, to: &out)
        }
    }
}

/// A family as the page shows it.
protocol MetricFamily: AnyObject {
    var head: MetricHead { get }
    func write(to out: inout String)
}

/// Samples in a steady order, so that two pages can be compared.
private func ordered<Value>(_ samples: [[String]: Value]) -> [(key: [String], value: Value)] {
    samples.sorted { $0.key.lexicographicallyPrecedes($1.key) }
}
