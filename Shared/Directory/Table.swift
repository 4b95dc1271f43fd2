/// A dictionary of large values in little room.
///
/// A Swift dictionary keeps places for half as many values again as it holds, and up to twice as
/// many more; with values of a hundred bytes and a hundred thousand of them that is most of a
/// service's memory. Here the dictionary holds numbers, and the values lie one after the other.
public struct Table<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var places: [Key: Int32] = [:]
    /// The key of each value.
    public private(set) var keys: [Key] = []
    /// In no order that means anything.
    public private(set) var values: [Value] = []

    public init() {}

    /// - Parameter entries: of equal keys the last counts
    public init(_ entries: some Sequence<(Key, Value)>) {
        for (key, value) in entries { self[key] = value }
    }

    public var count: Int { values.count }

    public var isEmpty: Bool { values.isEmpty }

    /// The value of a key; setting it to nil removes it.
    public subscript(key: Key) -> Value? {
        get { places[key].map { values[Int($0)] } }
        set {
            guard let place = places[key].map({ Int($0) }) else {
                if let newValue { append(newValue, under: key) }
                return
            }
            guard let newValue else { return remove(key, at: place) }
            values[place] = newValue
        }
    }

    private mutating func append(_ value: Value, under key: Key) {
        places[key] = Int32(values.count)
        keys.append(key)
        values.append(value)
    }

    /// The last one takes its place.
    private mutating func remove(_ key: Key, at place: Int) {
        places[key] = nil
        let last = keys.removeLast()
        let value = values.removeLast()
        guard place < values.count else { return }
        keys[place] = last
        values[place] = value
        places[last] = Int32(place)
    }
}

extension Table: Equatable where Value: Equatable {
    /// Whether the same keys have equal values, wherever these lie.
    public static func == (left: Table, right: Table) -> Bool {
        left.count == right.count
            && left.places.allSatisfy { key, place in
                left.values[Int(place)] == right[key]
            }
    }
}

extension Table: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(keys)) }
}
