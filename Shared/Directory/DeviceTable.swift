import Model

/// Devices by id, and by the person who owns them.
struct DeviceTable: Hashable, Sendable {
    private var rows = Table<DeviceID, Device>()
    private var idsOfPerson = Lists<PersonID, DeviceID>()

    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }
    /// In arbitrary order.
    var keys: [DeviceID] { rows.keys }
    /// In arbitrary order.
    var values: [Device] { rows.values }

    /// The device with an id. Setting it to nil removes it.
    subscript(id: DeviceID) -> Device? {
        get { rows[id] }
        set {
            if let owner = owner(of: id) { idsOfPerson.remove(id, under: owner) }
            rows[id] = newValue
            if let newValue { idsOfPerson.insert(id, under: newValue.person) }
        }
    }

    /// The person who owns a device; nil if there is no such device.
    func owner(of id: DeviceID) -> PersonID? { rows.read(id) { $0.person } }

    /// The ids of a person's devices, ascending.
    func ids(of person: PersonID) -> [DeviceID] { idsOfPerson[person] ?? [] }
}
