package io.mongolock.actuate;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

import io.mongolock.actuate.LockDescriptors.LockDescriptor;
import io.mongolock.actuate.LockDescriptors.LocksDescriptor;
import io.mongolock.actuate.LocksEndpoint.Filter;

/**
 * {@link LocksEndpoint} over HTTP, where owners are shown only to those who may see them.
 * Thread-safe.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public class LocksEndpointWebExtension {

	private final LocksEndpoint endpoint;

	private final Show showValues;

	private final Set<String> roles;

	/**
	 * Create an extension.
	 * @param endpoint the endpoint
	 * @param showValues to whom owners are shown
	 * @param roles one of which a user has to have where that depends on the user; any
	 * user if empty
	 */
	public LocksEndpointWebExtension(LocksEndpoint endpoint, Show showValues, Set<String> roles) {
		this.endpoint = endpoint;
		this.showValues = showValues;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * As {@link LocksEndpoint#locks}.
	 * @param user who asks
	 * @param prefix what the keys begin with
	 * @param holder what a holder's description contains; finds nothing for those who may
	 * not see owners
	 * @param heldFor how long they are held at least
	 * @param after the key behind which to begin
	 * @param limit how many at most
	 * @return the locks
	 */
	@ReadOperation
	public LocksDescriptor locks(SecurityContext user, @Nullable String prefix, @Nullable String holder,
			@Nullable Duration heldFor, @Nullable String after, @Nullable Integer limit) {
		return this.endpoint.page(new Filter(prefix, holder, heldFor), after, limit, showsOwners(user));
	}

	/**
	 * As {@link LocksEndpoint#lock}.
	 * @param user who asks
	 * @param key the key
	 * @return the lock, or {@code null} if nobody ever asked for it
	 */
	@ReadOperation
	public @Nullable LockDescriptor lock(SecurityContext user,
			@Selector(match = Selector.Match.ALL_REMAINING) String[] key) {
		return this.endpoint.lock(String.join("/", key), showsOwners(user));
	}

	/**
	 * Whether owners are shown to somebody.
	 * @param user who asks
	 * @return whether that user may see them
	 */
	public boolean showsOwners(SecurityContext user) {
		return this.showValues.isShown(user, this.roles);
	}

}
