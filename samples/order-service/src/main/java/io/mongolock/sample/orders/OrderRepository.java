package io.mongolock.sample.orders;

import java.util.List;

import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.mongodb.repository.MongoRepository;
import org.springframework.data.mongodb.repository.Query;
import org.springframework.data.mongodb.repository.Update;

/**
 * The orders in MongoDB.
 */
public interface OrderRepository extends MongoRepository<Order, String> {

	Page<Order> findByIdStartingWithOrCustomerContainingIgnoreCase(String id, String customer, Pageable page);

	List<Order> findBySettledFalseAndBalanceLessThanEqual(long balance);

	@Query("{ _id: ?0 }")
	@Update("{ $set: { balance: ?1 } }")
	void setBalance(String id, long balance);

	@Query("{ _id: ?0 }")
	@Update("{ $set: { settled: true } }")
	void setSettled(String id);

}
