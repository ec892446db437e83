package io.mongolock.sample.orders;

import java.util.List;

import org.springframework.data.repository.Repository;

/**
 * The settlements in MongoDB.
 */
interface SettlementRepository extends Repository<Settlement, String> {

	Settlement save(Settlement settlement);

	List<Settlement> findTop5ByOrderByStartedAtDesc();

}
