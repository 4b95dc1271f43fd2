import Bus
import Runtime
import Store

extension Host {
    /// Tries what may keep a service from starting, in the order of a start: keys, secrets, folder
    /// and store. Nothing is changed, and the service may be running meanwhile; an empty file tries
    /// whether files can be made.
    ///
    /// - Throws: what the start would throw
    static func check(_ definition: ServiceDefinition, _ configuration: Configuration) throws {
        try HostParts.refuseUnprotected(configuration, Topology(configuration))
        if HostParts.keysToMake(definition, configuration, Topology(configuration)) == nil {
            _ = try BusSecurity.read(configuration, role: definition.name.role)
        }
        try definition.check(configuration)
        guard definition.isDurable else { return }
        try UnfinishedRestore.refuse(
            home: configuration.text("JAGA_HOME"), service: definition.name.rawValue)
        let folder = HostParts.folder(definition, configuration)
        try Files.tryWriting(in: folder)
        let store = HostParts.store(in: folder)
        guard Files.exists(store) else { return }
        try Database.check(store, HostParts.migrations(definition))
        try definition.checkStore(configuration, Database(reading: store))
    }
}
