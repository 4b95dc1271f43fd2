import Model

/// A circle's configuration as last appended to a partition.
public struct ConfiguredCircleRow: Hashable, Sendable {
    public var circle: CircleID
    public var partition: Partition
    /// Digest of the ``ConfiguredCircle`` appended.
    public var digest: ID128

    public init(circle: CircleID, partition: Partition, digest: ID128) {
        self.circle = circle
        self.partition = partition
        self.digest = digest
    }
}

/// A person's configuration as last appended to their partition.
public struct ConfiguredPersonRow: Hashable, Sendable {
    public var person: PersonID
    /// Digest of the ``ConfiguredPerson`` appended.
    public var digest: ID128

    public init(person: PersonID, digest: ID128) {
        self.person = person
        self.digest = digest
    }
}

/// A page of a set as last appended to a partition.
public struct ConfiguredPageRow: Hashable, Sendable {
    public var set: ZoneSetID
    /// 0 to 511.
    public var page: Int
    public var partition: Partition
    /// Digest of the ``ConfiguredSet`` appended.
    public var digest: ID128

    public init(set: ZoneSetID, page: Int, partition: Partition, digest: ID128) {
        self.set = set
        self.page = page
        self.partition = partition
        self.digest = digest
    }
}

/// A set of which a partition has every page.
public struct ConfiguredSetRow: Hashable, Sendable {
    public var set: ZoneSetID
    public var partition: Partition

    public init(set: ZoneSetID, partition: Partition) {
        self.set = set
        self.partition = partition
    }
}

/// A change of the stored configuration of partitions.
public enum ConfigurationEffect: Hashable, Sendable {
    case saveCircle(ConfiguredCircleRow)
    case removeCircle(CircleID, Partition)
    case savePerson(ConfiguredPersonRow)
    case removePerson(PersonID)
    case savePage(ConfiguredPageRow)
    /// The page is empty now.
    case removePage(ZoneSetID, page: Int, Partition)
    /// The partition has every page of the set.
    case saveSet(ZoneSetID, Partition)
    /// No person of the partition subscribes to the set any more; its pages are removed too.
    case removeSet(ZoneSetID, Partition)
}
