/// The number of insertions, deletions and substitutions between two names (Levenshtein).
func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in other.indices {
            let change = diagonal + (byte == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(change, diagonal + 1, row[column] + 1)
        }
    }
    return row[other.count]
}
