import Model

// Room that removed rows leave.
//
// SQLite puts the pages of removed rows on a list and takes new ones from there before the file
// grows: a store that forgets as fast as it learns stays as large as it is, at no cost. Only after
// a peak, such as a reader that was away for a week, is much of the file empty; then it is given
// back to the file system, which other stores share. That needs the pages' owners on record
// (`auto_vacuum`, about a microsecond a row) and is done a few pages at a time, moving the file's
// last pages into the gaps; VACUUM would copy everything at once and stop the service meanwhile.
extension Database {
    /// Pages given back in one go: about a millisecond.
    private static let pagesGivenBack = 32
    /// So much may stay empty, in pages of 4 KiB, and a quarter of the file.
    private static let pagesKept: Int64 = 4096

    /// Moves a few pages from the end of the file into gaps and cuts it, if much of it is empty.
    ///
    /// - Returns: whether there is more to give back.
    public func giveBackSpace() throws(StoreError) -> Bool {
        guard try number("PRAGMA auto_vacuum") == 2, try isTooEmpty() else { return false }
        try execute("PRAGMA incremental_vacuum(\(Database.pagesGivenBack))")
        return try isTooEmpty()
    }

    private func isTooEmpty() throws(StoreError) -> Bool {
        let free = try number("PRAGMA freelist_count")
        return try free > max(Database.pagesKept, number("PRAGMA page_count") / 4)
    }

    private func number(_ pragma: String) throws(StoreError) -> Int64 {
        if case .integer(let number) = try scalar(pragma) { number } else { 0 }
    }

    /// What a copy of the store takes: all pages but the empty ones.
    public func bytesUsed() throws(StoreError) -> UInt64 {
        let pages = try number("PRAGMA page_count") - number("PRAGMA freelist_count")
        return UInt64(max(0, pages)) * UInt64(try number("PRAGMA page_size"))
    }
}
