# ruff: noqa: E501  # a line of curl is one line
"""Lines of curl as documentation and browsers have them: what is made of them is a description that reads back."""

import json

import pytest

from benchbench.client.curl import parse
from benchbench.client.describe import described
from benchbench.client.guess_request import draft
from benchbench.client.payload import Located
from benchbench.client.toml_lines import toml
from benchbench.tables.text_files import toml_value

LINES = {  # name -> line, where the query stands, where the number of hits stands
    'es match': ('curl -X GET "localhost:9200/my-index/_search?pretty" -H \'Content-Type: application/json\' -d\'\n{\n  "size": 10,\n  "query": {\n    "match": {\n      "text": {\n        "query": "this is a test"\n      }\n    }\n  }\n}\n\'\n', 'body.query.match.text.query', 'body.size'),
    'es multi_match': ('curl -XPOST "http://localhost:9200/i/_search" -H "kbn-xsrf: reporting" -H "Content-Type: application/json" -d\'{"query":{"multi_match":{"query":"a b","fields":["title","text"],"type":"best_fields"}},"_source":["title"]}\'', 'body.query.multi_match.query', ''),
    'opensearch -u': ("curl -k -u admin:Str0ng!Pass -XGET 'https://localhost:9200/movies/_search?q=ring&size=5&pretty'", 'params.q', 'params.size'),
    'es bool': ('curl -XPOST localhost:9200/i/_search -H \'Content-Type: application/json\' -d \'{"from":0,"size":20,"query":{"bool":{"must":[{"match":{"body":"foo bar"}}],"filter":[{"term":{"lang":"en"}}]}}}\'', 'body.query.bool.must.0.match.body', 'body.size'),
    'es knn text': ('curl -XPOST localhost:9200/i/_search --json \'{"query":{"semantic":{"field":"inference","query":"Best surfing places"}}}\'', 'body.query.semantic.query', ''),
    'es retriever rrf': ('curl -XPOST localhost:9200/i/_search --json \'{"retriever":{"rrf":{"retrievers":[{"standard":{"query":{"match":{"text":"shoes"}}}},{"standard":{"query":{"semantic":{"field":"s","query":"shoes"}}}}],"rank_window_size":50}}}\'', 'body.retriever.rrf.retrievers.1.standard.query.semantic.query and body.retriever.rrf.retrievers.0.standard.query.match.text', ''),
    'solr': ('curl "http://localhost:8983/solr/techproducts/select?q=foundation&rows=10&fl=id,score,name&wt=json" ', 'params.q', 'params.rows'),
    'solr json': ('curl http://localhost:8983/solr/techproducts/query -d \'{"query":"memory","filter":"inStock:true","limit":5}\'', 'body.query', 'body.limit'),
    'Typesense, variable': ('curl -H "X-TYPESENSE-API-KEY: ${TYPESENSE_API_KEY}" "http://localhost:8108/collections/companies/documents/search?q=stark&query_by=company_name&filter_by=num_employees:>100&sort_by=num_employees:desc" ', 'params.q', ''),
    'Typesense': ('curl -H "X-TYPESENSE-API-KEY: xyz" "http://localhost:8108/collections/companies/documents/search?q=stark&query_by=company_name&per_page=5" ', 'params.q', 'params.per_page'),
    'Meilisearch': ('curl \\\n  -X POST \'http://localhost:7700/indexes/movies/search\' \\\n  -H \'Content-Type: application/json\' \\\n  -H \'Authorization: Bearer aSampleMasterKey\' \\\n  --data-binary \'{ "q": "american ninja", "limit": 5, "showRankingScore": true }\'', 'body.q', 'body.limit'),
    'algolia lit': ('curl -X POST "https://ABCD1234EF-dsn.algolia.net/1/indexes/imdb/query" -H \'x-algolia-api-key: 0123456789abcdef0123456789abcdef\' -H \'x-algolia-application-id: ABCD1234EF\' -d \'{"query":"iphone","hitsPerPage":2}\'', 'body.query', 'body.hitsPerPage'),
    'vespa get': ("curl -s 'http://localhost:8080/search/?yql=select%20*%20from%20sources%20*%20where%20userQuery()&query=foo&hits=5'", 'params.query', 'params.hits'),
    'vespa post': ('curl -H \'Content-Type: application/json\' --data \'{"yql":"select * from sources * where {targetHits:100}nearestNeighbor(embedding,e)","input.query(e)":"embed(@text)","text":"a question","hits":10}\' http://localhost:8080/search/', 'body.text', 'body.hits'),
    'qdrant text': ('curl -X POST https://x.cloud.qdrant.io:6333/collections/c/points/query -H \'api-key: eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.abc\' --json \'{"query":{"text":"hello world","model":"bge"},"using":"dense","limit":3}\'', 'body.query.text', 'body.limit'),
    'pinecone': ('curl -X POST "https://$INDEX_HOST/records/namespaces/$NAMESPACE/search" \\\n  -H "Content-Type: application/json" \\\n  -H "Api-Key: $PINECONE_API_KEY" \\\n  -H "X-Pinecone-API-Version: 2025-01" \\\n  -d \'{"query":{"inputs":{"text":"Famous historical structures"},"top_k":10},"fields":["category","chunk_text"]}\'', 'body.query.inputs.text', 'body.query.top_k'),
    'azure': ('curl -X POST "https://svc.search.windows.net/indexes/hotels/docs/search?api-version=2023-11-01" -H "Content-Type: application/json" -H "api-key: 0123456789ABCDEF0123456789ABCDEF" -d \'{"search":"beach","queryType":"simple","top":3,"count":true,"searchFields":"description"}\'', 'body.search', 'body.top'),
    'azure GET': ('curl -G "https://svc.search.windows.net/indexes/hotels/docs" --data-urlencode \'api-version=2023-11-01\' --data-urlencode \'search=walking distance\' --data-urlencode \'$top=5\' -H \'api-key: 0123456789ABCDEF\'', 'params.search', 'params.$top'),
    'vertex token': ('curl -X POST -H "Authorization: Bearer ya29.a0AfH6SMBxxxxxxxxxxxxxxxx" -H "Content-Type: application/json" "https://discoveryengine.googleapis.com/v1/projects/P/locations/global/collections/default_collection/engines/E/servingConfigs/default_search:search" -d \'{"query":"what is","pageSize":10}\'', 'body.query', 'body.pageSize'),
    'bing': ('curl -H "Ocp-Apim-Subscription-Key: 0123456789abcdef0123456789abcdef" "https://api.bing.microsoft.com/v7.0/search?q=search+engine&count=10&mkt=en-US" ', 'params.q', 'params.count'),
    'serpapi': ('curl --get https://serpapi.com/search -d engine="google" -d q="Coffee" -d location="Austin,+Texas" -d api_key="secret_api_key_0123456789" ', 'params.q', ''),
    'brave': ('curl -s --compressed "https://api.search.brave.com/res/v1/web/search?q=brave+search" -H "Accept: application/json" -H "Accept-Encoding: gzip" -H "X-Subscription-Token: BSAabcdefghijk123456789" ', 'params.q', ''),
    'google cse': ("curl 'https://customsearch.googleapis.com/customsearch/v1?cx=0123456789&q=lectures&key=AIzaSyA1234567890abcdefghijkl&num=5' --header 'Accept: application/json' --compressed", 'params.q', 'params.num'),
    'tavily': ('curl -X POST https://api.tavily.com/search -H \'Content-Type: application/json\' -d \'{"api_key":"tvly-0123456789abcdef","query":"who is Leo Messi?","max_results":5}\'', 'body.query', 'body.max_results'),
    'cohere rerank': ('curl --request POST --url https://api.cohere.com/v2/rerank --header \'authorization: bearer CO_API_KEY_LITERAL_123\' --header \'content-type: application/json\' --data \'{"model":"rerank-v3.5","query":"What is the capital?","documents":["a","b"],"top_n":3}\'', 'body.query', 'body.top_n'),
    'chrome bash': ('curl \'https://www.example.com/api/search?q=hello%20world&page=1\' \\\n  -H \'accept: */*\' \\\n  -H \'accept-language: en-US,en;q=0.9\' \\\n  -b \'session=abcdef0123456789; _ga=GA1.1.1\' \\\n  -H \'priority: u=1, i\' \\\n  -H \'sec-ch-ua: "Chromium";v="128", "Not;A=Brand";v="24"\' \\\n  -H \'user-agent: Mozilla/5.0 (X11)\' \\\n  --data-raw $\'{"q":"it\\\'s","n":10}\'', 'params.q', 'body.n'),
    'chrome cmd': ('curl ^"https://www.example.com/api/search?q=hello^%^20world^" ^\r\n  -H ^"accept: */*^" ^\r\n  -H ^"content-type: application/json^" ^\r\n  --data-raw ^"^{^\\^"query^\\^":^\\^"hello world^\\^",^\\^"size^\\^":10^}^"', 'params.q and body.query', 'body.size'),
    'firefox bash': ("curl 'https://www.example.com/search' --compressed -X POST -H 'User-Agent: Mozilla/5.0' -H 'Accept: application/json' -H 'Content-Type: application/x-www-form-urlencoded; charset=UTF-8' -H 'Origin: https://www.example.com' -H 'Cookie: sid=s%3Aabc.def' --data-raw 'query=hello+world&rows=10&csrf_token=abc123'", 'form.query', 'form.rows'),
    'data twice': ('curl http://localhost/s -d q=hello -d rows=5', 'form.q', 'form.rows'),
    'url-query': ("curl http://localhost/s --url-query q=hello --url-query 'n=5'", 'params.q', 'params.n'),
    'output and a pipe': ('curl -o out.json -s http://localhost/s?q=hello | jq .hits > found.json', 'params.q', ''),
    'bracket glob': ("curl 'http://localhost/s?filter[lang]=en&q=a&page[size]=5' -g", 'params.q', 'params.page[size]'),
    'a command behind it': ('curl http://localhost/s?q=a; touch made.txt', 'params.q', ''),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_a_line_becomes_a_description_that_reads_back_and_asks_for_the_query(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    for variable in ("INDEX_HOST", "NAMESPACE", "PINECONE_API_KEY", "TYPESENSE_API_KEY"):
        monkeypatch.setenv(variable, "a-value")
    line, query_at, top_k_at = LINES[name]
    made = draft(parse(line))
    assert (made.query_at, made.top_k_at) == (query_at, top_k_at)
    text = toml(made.description)
    assert toml_value(text.encode(), name) == json.loads(json.dumps(made.description))
    assert not [value for value in made.environment.values() if value in text]
    names = ("NAMESPACE", "PINECONE_API_KEY", "TYPESENSE_API_KEY")
    asked = described(
        name, toml_value(text.encode(), name), {}, name, {**dict.fromkeys(names, "v"), **made.environment}
    )
    payload = asked.payload(["wanted"], 7)
    sent = (
        payload.url(f"http://h{asked.path}") + str(payload.body) if isinstance(payload, Located) else payload.decode()
    )
    assert "wanted" in sent
    assert not top_k_at or "7" in sent
