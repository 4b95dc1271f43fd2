/// Values by key in one array, so that a value is changed where it lies and nothing depends on the
/// order in which keys came. It is gone through in the order of keys alone: no other order can
/// reach an output or a state.
struct Slots<Key: Hashable & Comparable & Sendable, Value: Sendable>: Sendable {
    private var places: [Key: Int] = [:]
    private var values: [Value] = []
    private var free: [Int] = []

    var count: Int { places.count }

    /// Ascending.
    var keys: [Key] { places.keys.sorted() }

    /// Those of certain values, ascending.
    func keys(where isWanted: (Value) -> Bool) -> [Key] {
        places.filter { isWanted(values[$0.value]) }.keys.sorted()
    }

    /// Where the key's value is; nil without one.
    func place(of key: Key) -> Int? { places[key] }

    /// Where the key's value is, made if there is none.
    mutating func place(of key: Key, making value: @autoclosure () -> Value) -> Int {
        if let place = places[key] { return place }
        let place: Int
        if let reused = free.popLast() {
            place = reused
            values[place] = value()
        } else {
            place = values.count
            values.append(value())
        }
        places[key] = place
        return place
    }

    subscript(place: Int) -> Value {
        _read { yield values[place] }
        _modify { yield &values[place] }
    }

    /// Looks at a value where it lies: for what is done for each fix, because the subscript may
    /// copy all of a large value first, to memory that is allocated for that.
    @inline(__always)
    func look<Result>(at place: Int, _ body: (borrowing Value) -> Result) -> Result {
        values.withUnsafeBufferPointer { body($0[place]) }
    }

    /// Frees the key's place; `empty` takes it until it is used again.
    mutating func remove(_ key: Key, leaving empty: Value) {
        guard let place = places.removeValue(forKey: key) else { return }
        values[place] = empty
        free.append(place)
    }
}
