package io.mongolock.store;

import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;

import io.mongolock.ReleaseRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a holder is asked to release its lock, which takes nothing from it.
 */
interface ReleaseRequestContract extends LockStoreContract {

	@Test
	default void aHolderAskedToReleaseKeepsItsLeaseAndSeesTheRequest() {
		Claim claim = Claims.on("key");
		StoredHolder granted = grant(claim);
		assertThat(store().requestRelease(claim.id(), "$fence", "$admin", TIMEOUT)).isTrue();
		ReleaseRequest request = Objects.requireNonNull(find("key").holders().get(0).releaseRequest());
		assertThat(request.reason()).isEqualTo("$fence");
		assertThat(request.by()).isEqualTo("$admin");
		assertThat(request.at()).isAfterOrEqualTo(granted.acquiredAt());
		assertThat(renew(claim)).isTrue();
		assertThat(store().findAll(List.of("key"), TIMEOUT)).singleElement()
			.satisfies((lock) -> assertThat(lock.holders().get(0).releaseRequest()).isEqualTo(request));
		assertThat(deny(Claims.on("key")).lock().holders().get(0).fence()).isEqualTo(granted.fence());
	}

	@Test
	default void theLastRequestCounts() {
		Claim claim = Claims.on("key");
		grant(claim);
		store().requestRelease(claim.id(), "first", "admin", TIMEOUT);
		store().requestRelease(claim.id(), "second", "admin", TIMEOUT);
		assertThat(Objects.requireNonNull(find("key").holders().get(0).releaseRequest()).reason()).isEqualTo("second");
	}

	@Test
	default void aRequestEndsWithTheLease() {
		Claim claim = Claims.on("key");
		grant(claim);
		store().requestRelease(claim.id(), "deployment", "admin", TIMEOUT);
		release(claim);
		assertThat(grant(Claims.on("key")).releaseRequest()).isNull();
		assertThat(find("key").holders().get(0).releaseRequest()).isNull();
	}

	@Test
	default void aSuccessorIsNotAskedToRelease() {
		Claim claim = lapsed("key");
		store().requestRelease(claim.id(), "deployment", "admin", TIMEOUT);
		assertThat(grant(Claims.on("key")).releaseRequest()).isNull();
	}

	@Test
	default void nobodyIsAskedWhereTheLeaseIsGone() {
		Claim claim = Claims.on("key");
		grant(claim);
		release(claim);
		assertThat(store().requestRelease(claim.id(), "deployment", "admin", TIMEOUT)).isFalse();
		assertThat(find("key").holders()).isEmpty();
	}

}
