package io.mongolock.store.mongo;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.bson.Document;

/**
 * The privileges of a user, read from {@code connectionStatus}.
 *
 * @param user the name of the user
 * @param userDatabase where the user is known
 * @param granted what the user may do, and where
 */
record Privileges(String user, String userDatabase, List<Document> granted) {

	/**
	 * Read an answer.
	 * @return the privileges; nothing if nobody has to sign in, or the server keeps that
	 * to itself
	 */
	static Optional<Privileges> of(Document status) {
		Document info = status.get("authInfo", new Document());
		List<Document> users = info.getList("authenticatedUsers", Document.class, List.of());
		List<Document> granted = info.getList("authenticatedUserPrivileges", Document.class);
		return (users.isEmpty() || granted == null) ? Optional.empty()
				: Optional.of(new Privileges(users.get(0).getString("user"), users.get(0).getString("db"), granted));
	}

	/**
	 * The actions that are not granted.
	 */
	List<String> missing(String database, String collection, Collection<String> actions) {
		return actions.stream()
			.filter((action) -> this.granted.stream()
				.filter((privilege) -> isOn(privilege.get("resource", Document.class), database, collection))
				.noneMatch((privilege) -> privilege.getList("actions", String.class).contains(action)))
			.toList();
	}

	private static boolean isOn(Document resource, String database, String collection) {
		if (resource.getBoolean("anyResource", false)) {
			return true;
		}
		return isOn(resource.getString("db"), database) && isOn(resource.getString("collection"), collection);
	}

	// Empty stands for all of them
	private static boolean isOn(String granted, String name) {
		return granted != null && (granted.isEmpty() || granted.equals(name));
	}

	/**
	 * The commands that grant actions to the user.
	 */
	String grant(String database, String collection, Collection<String> actions) {
		// A role of the user's own, which may be there already and lack something
		String role = quoted("mongoLock_" + this.user + "_" + collection);
		String quoted = actions.stream().map(Privileges::quoted).collect(Collectors.joining(", "));
		return "var mongoLock = db.getSiblingDB(" + quoted(database) + "); mongoLock.getRole(" + role
				+ ") || mongoLock.createRole({role: " + role
				+ ", privileges: [], roles: []}); mongoLock.grantPrivilegesToRole(" + role + ", [{resource: {db: "
				+ quoted(database) + ", collection: " + quoted(collection) + "}, actions: [" + quoted
				+ "]}]); db.getSiblingDB(" + quoted(this.userDatabase) + ").grantRolesToUser(" + quoted(this.user)
				+ ", [{role: " + role + ", db: " + quoted(database) + "}])";
	}

	private static String quoted(String name) {
		return "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
	}

}
