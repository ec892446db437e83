package io.mongolock.store;

/**
 * Something that stands for a lease, such as a handle: lets code beside the store find
 * the lease, which users have no need to see.
 */
public interface Leased {

	/**
	 * The lease.
	 * @return its key and token
	 */
	LeaseId lease();

}
