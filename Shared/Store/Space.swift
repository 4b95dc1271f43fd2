import Model

// Space of deleted rows.
//
// SQLite reuses the pages of deleted rows before the file grows: a store that deletes as much as it
// inserts keeps its size at no cost. After a peak, such as a consumer that was away for a week,
// much of the file is empty; then space is returned to the file system, which other stores share.
// This needs `auto_vacuum` (about a microsecond per row) and moves a few of the file's last pages
// at a time. VACUUM would copy the whole file at once and stop the service meanwhile.
extension Database {
    /// Pages returned in one step: about a millisecond.
    private static let pagesPerStep = 32
    /// Pages of 4 KiB that may stay free; also a quarter of the file.
    private static let freePagesMax: Int64 = 4096

    /// Returns some free pages to the file system, if much of the file is free.
    ///
    /// - Returns: whether more can be returned
    public func reclaimSpace() throws(StoreError) -> Bool {
        guard try number("PRAGMA auto_vacuum") == 2, try hasExcessPages() else { return false }
        try execute("PRAGMA incremental_vacuum(\(Database.pagesPerStep))")
        return try hasExcessPages()
    }

    private func hasExcessPages() throws(StoreError) -> Bool {
        let free = try number("PRAGMA freelist_count")
        return try free > max(Database.freePagesMax, number("PRAGMA page_count") / 4)
    }

    private func number(_ pragma: String) throws(StoreError) -> Int64 {
        if case .integer(let number) = try scalar(pragma) { number } else { 0 }
    }

    /// The size of a copy: all pages except free ones.
    public func bytesUsed() throws(StoreError) -> UInt64 {
        let pages = try number("PRAGMA page_count") - number("PRAGMA freelist_count")
        return UInt64(max(0, pages)) * UInt64(try number("PRAGMA page_size"))
    }
}
