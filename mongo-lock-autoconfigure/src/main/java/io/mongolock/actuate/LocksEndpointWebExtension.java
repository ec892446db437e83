package io.mongolock.actuate;

import java.util.Set;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

import io.mongolock.LockStoreException;
import io.mongolock.actuate.LockDescriptors.ErrorDescriptor;

/**
 * {@link LocksEndpoint} over HTTP. It shows owners only to users who may see them. The
 * answer to a wrong request is 400 with the reason. If the store does not answer, the
 * answer is 503. Thread-safe.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public class LocksEndpointWebExtension {

	private static final Log logger = LogFactory.getLog(LocksEndpointWebExtension.class);

	private static final int FORBIDDEN = 403;

	private final LocksEndpoint endpoint;

	private final Show showValues;

	private final Set<String> roles;

	/**
	 * Create an extension.
	 * @param roles the roles, one of which a user needs to release locks, and to see
	 * owners if that depends on the user; any user may if empty
	 */
	public LocksEndpointWebExtension(LocksEndpoint endpoint, Show showValues, Set<String> roles) {
		this.endpoint = endpoint;
		this.showValues = showValues;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * As {@link LocksEndpoint#locks}, or one lock if a key is given.
	 * @param key the key of one lock, whatever it consists of; all unless given
	 * @param holder what a holder's description contains; finds nothing for those who may
	 * not see owners
	 * @param heldFor how long they are held at least, for example {@code 5m}
	 * @param limit how many at most, from 1 to 1,000
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(SecurityContext user, @Nullable String key,
			@Nullable String prefix, @Nullable String holder, @Nullable String heldFor, @Nullable String after,
			@Nullable Integer limit) {
		boolean owners = showsOwners(user);
		return answer(owners, WebEndpointResponse.STATUS_NOT_FOUND,
				() -> (key != null) ? this.endpoint.search().lock(key, owners)
						: this.endpoint.search().page(AskedLocks.read(prefix, holder, heldFor), after, limit, owners));
	}

	/**
	 * As {@link LocksEndpoint#lock}.
	 * @return the lock, or 404 if nobody ever asked for it
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lock(SecurityContext user,
			@Selector(match = Selector.Match.ALL_REMAINING) String[] path, @Nullable String key) {
		boolean owners = showsOwners(user);
		return answer(owners, WebEndpointResponse.STATUS_NOT_FOUND,
				() -> this.endpoint.search().lock(only(path, key), owners));
	}

	/**
	 * As {@link LocksEndpoint#requestRelease}, of any key.
	 * @return how many were asked, or 403
	 */
	@WriteOperation
	public WebEndpointResponse<OperationResponseBody> requestReleaseOf(SecurityContext user, @Nullable String key,
			@Nullable String reason) {
		return change(user, () -> this.endpoint.requestRelease(named(key), reason, LocksEndpoint.nameOf(user)));
	}

	/**
	 * As {@link LocksEndpoint#requestRelease}.
	 * @return how many were asked, or 403
	 */
	@WriteOperation
	public WebEndpointResponse<OperationResponseBody> requestRelease(SecurityContext user,
			@Selector(match = Selector.Match.ALL_REMAINING) String[] path, @Nullable String key,
			@Nullable String reason) {
		return change(user, () -> this.endpoint.requestRelease(only(path, key), reason, LocksEndpoint.nameOf(user)));
	}

	/**
	 * As {@link LocksEndpoint#release}, of any key.
	 * @param reason why, if that is said
	 * @param fence the highest fence of those to take it from, all unless given
	 * @return from how many it was taken, 204 if nobody ever asked for it, or 403
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> releaseOf(SecurityContext user, @Nullable String key,
			@Nullable String reason, @Nullable Long fence) {
		return change(user, () -> this.endpoint.release(named(key), reason, fence, LocksEndpoint.nameOf(user)));
	}

	/**
	 * As {@link LocksEndpoint#release}.
	 * @param reason why, if that is said
	 * @param fence the highest fence of those to take it from, all unless given
	 * @return from how many it was taken, 204 if nobody ever asked for it, or 403
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> release(SecurityContext user,
			@Selector(match = Selector.Match.ALL_REMAINING) String[] path, @Nullable String key,
			@Nullable String reason, @Nullable Long fence) {
		return change(user, () -> this.endpoint.release(only(path, key), reason, fence, LocksEndpoint.nameOf(user)));
	}

	private static String named(@Nullable String key) {
		if (key == null) {
			throw AskedLocks
				.refused("The request names no lock. Name the lock in the path, in the parameter 'key', or in the "
						+ "field 'key' of the body");
		}
		return key;
	}

	// A parameter or a part of the body with the selector's name would replace the
	// selector
	private static String only(String[] path, @Nullable String key) {
		String only = String.join("/", path);
		if (key != null) {
			throw AskedLocks.refused("The address names lock '" + only + "', but a parameter names lock '" + key
					+ "'. Name only one lock");
		}
		return only;
	}

	private WebEndpointResponse<OperationResponseBody> change(SecurityContext user,
			Supplier<@Nullable OperationResponseBody> operation) {
		return (mayRelease(user)) ? answer(showsOwners(user), WebEndpointResponse.STATUS_NO_CONTENT, operation)
				: new WebEndpointResponse<>(FORBIDDEN);
	}

	// A page asks every two seconds. If the store is down, this must not count as an
	// error of this server, or log a stack trace each time
	private static WebEndpointResponse<OperationResponseBody> answer(boolean shown, int none,
			Supplier<@Nullable OperationResponseBody> operation) {
		try {
			OperationResponseBody body = operation.get();
			return (body != null) ? new WebEndpointResponse<>(body) : new WebEndpointResponse<>(none);
		}
		// Spring Boot would hide the message
		catch (InvalidEndpointRequestException ex) {
			return new WebEndpointResponse<>(new ErrorDescriptor(String.valueOf(ex.getMessage())),
					WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (LockStoreException ex) {
			logger.debug("No answer", ex);
			return new WebEndpointResponse<>(
					new ErrorDescriptor((shown) ? String.valueOf(ex.getMessage()) : "MongoDB does not answer"),
					WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	/**
	 * Whether a user may see owners.
	 * @return whether owners are shown to that user
	 */
	public boolean showsOwners(SecurityContext user) {
		return this.showValues.isShown(user, this.roles);
	}

	/**
	 * Whether a user may release locks, or ask holders to release them, if the endpoint
	 * allows writes at all.
	 * @return {@code true} if the user has one of the roles, or if no roles are set
	 */
	public boolean mayRelease(SecurityContext user) {
		return this.roles.isEmpty() || Show.WHEN_AUTHORIZED.isShown(user, this.roles);
	}

}
