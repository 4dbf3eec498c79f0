def terms(text): return list(dict.fromkeys(text.lower().split()))
def weighted_terms(key, content): return {t:1 for t in terms(key+" "+content)}
